/** Lists the budgets that a question is charged to, and words the refusal when one is spent. */
import { AtlasError, type Scope } from '../../kernel/index.ts';
import { previewedBy } from '../auth-kit/index.ts';
import type { UsageOptions } from './options.ts';
import { dayOf, monthOf, nextDay, nextMonth } from './periods.ts';
import { ORGANIZATION, USER } from './sums.ts';

export interface Owner {
  readonly user_id: string;
  readonly org_id: string;
}

export interface Budget {
  readonly name: 'userDay' | 'orgMonth';
  /** Whose tokens count, and in which period. */
  readonly subject: string;
  readonly period: string;
  readonly limitTokens: number;
  /** Milliseconds since the epoch. */
  readonly renewsAt: number;
}

/** Longest wait that is suggested while running questions have reserved what is left. */
const RUNNING_RETRY_SECONDS = 10;

/** Ids come from tokens too, and PostgreSQL stores neither NUL nor halves of characters. */
const stored = (id: string | null) => (id ?? '').replaceAll('\0', '\u{fffd}').toWellFormed();

/** Whoever asks pays: of a preview the administrator, not the reader. */
export const ownerOf = (scope: Scope): Owner => ({
  user_id: stored((previewedBy.nearest(scope) ?? scope.actor).id),
  org_id: stored(scope.orgId),
});

/** Those that are configured. A user's tokens count in whichever organization they were spent. */
export function budgetsOf({ userDayTokens, orgMonthTokens }: UsageOptions, owner: Owner, now: number): Budget[] {
  const user: Budget[] =
    userDayTokens === undefined
      ? []
      : [
          {
            name: 'userDay',
            subject: USER + owner.user_id,
            period: dayOf(now),
            limitTokens: userDayTokens,
            renewsAt: nextDay(now),
          },
        ];
  const organization: Budget[] =
    orgMonthTokens === undefined
      ? []
      : [
          {
            name: 'orgMonth',
            subject: ORGANIZATION + owner.org_id,
            period: monthOf(now),
            limitTokens: orgMonthTokens,
            renewsAt: nextMonth(now),
          },
        ];
  return [...user, ...organization];
}

/** The budget that has too little left for a question. */
export interface Refusal {
  readonly budget: Budget;
  /** There would be enough if no other questions were running. */
  readonly isReserved: boolean;
}

/** The error of a budget that is used up; it tells no figures of the organization. */
export function exhausted({ budget, isReserved }: Refusal, now: number): AtlasError {
  const { name, limitTokens, renewsAt } = budget;
  const whose =
    name === 'userDay'
      ? `Your budget of ${limitTokens.toLocaleString('en-US')} tokens a day`
      : "Your organization's token budget for this month";
  const at = new Date(renewsAt).toISOString();
  const renewal = Math.max(1, Math.ceil((renewsAt - now) / 1000));
  const init = { code: 'budget_exhausted', reason: 'E_BUDGET_EXHAUSTED' } as const;
  if (isReserved) {
    return new AtlasError(`${whose} is reserved by questions that are running.`, {
      ...init,
      retryAfterSeconds: Math.min(renewal, RUNNING_RETRY_SECONDS),
      hint: `Ask again when they have ended; the budget renews at ${at}.`,
    });
  }
  return new AtlasError(`${whose} is used up.`, {
    ...init,
    retryAfterSeconds: renewal,
    hint: `It renews at ${at}; an administrator can raise it.`,
  });
}

/** The check needs the internal database, and what is not known is refused. */
export function unchecked(cause: unknown): AtlasError {
  return new AtlasError('The token budget cannot be checked, because the internal database is not available.', {
    code: 'unavailable',
    reason: 'E_BUDGET_UNCHECKED',
    retryAfterSeconds: 5,
    hint: 'Ask again shortly; if it stays so, the operator should look at the internal database.',
    cause,
  });
}
