/** Lists the steps that an answer took, as they happen. */
import type { ReactNode } from 'react';
import { TEXTS } from '../texts.ts';
import { ShownText } from '../ui/shown-text.tsx';
import styles from './answer.module.css';
import type { Step } from './message.ts';
import { refusedPlace } from './refused-place.ts';

function nameOf({ tool, state, input, table }: Step): string {
  const { path, command } = (input ?? {}) as { path?: unknown; command?: unknown };
  const target = [path, command].find((value) => typeof value === 'string');
  if (table !== undefined || /sql/i.test(tool)) return state === 'running' ? TEXTS.step.sqlRunning : TEXTS.step.sql;
  if (typeof target === 'string') return TEXTS.step.explore(target.slice(0, 200));
  return tool === 'listMetrics' ? TEXTS.step.metrics : TEXTS.step.other(tool);
}

/** The statement that was refused, with the place that its refusal names. */
function RefusedSql({ input, error }: Pick<Step, 'input' | 'error'>): ReactNode {
  const { sql } = (input ?? {}) as { sql?: unknown };
  const place = typeof sql === 'string' && error !== undefined ? refusedPlace(sql, error) : undefined;
  if (place === undefined) return null;
  return (
    <code className={styles.refusedSql} dir="ltr">
      <ShownText text={place.before} kept={'\n\t'} />
      <mark>
        <ShownText text={place.marked} />
      </mark>
      <ShownText text={place.after} kept={'\n\t'} />
    </code>
  );
}

function StepLine({ step }: { readonly step: Step }): ReactNode {
  const name = nameOf(step);
  if (step.state === 'failed') {
    return (
      <li>
        <ShownText text={TEXTS.step.failed(name)} />
        <span className={styles.stepError}>
          <ShownText text={step.error} kept={'\n\t'} />
        </span>
        <RefusedSql input={step.input} error={step.error} />
      </li>
    );
  }
  return (
    <li>
      <ShownText text={name} />
      {step.table !== undefined && `: ${TEXTS.answer.rows(step.table.rowCount)}`}
      {step.state === 'running' && '…'}
    </li>
  );
}

export function Steps({
  steps,
  isRunning,
}: {
  readonly steps: readonly Step[];
  readonly isRunning: boolean;
}): ReactNode {
  if (steps.length === 0) return isRunning ? <p className={styles.muted}>{TEXTS.answer.thinking}…</p> : null;
  return (
    <details className={styles.steps} open={isRunning}>
      <summary>{TEXTS.answer.steps(steps.length)}</summary>
      <ol>
        {steps.map((step) => (
          <StepLine key={step.id} step={step} />
        ))}
      </ol>
    </details>
  );
}
