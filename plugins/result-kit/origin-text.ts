/** Writes where a result comes from in a line or two, for terminals, mail and channels. */
import { truncate } from '../text-kit/index.ts';
import type { Freshness, Provenance } from './provenance.ts';

const MAX_NAMED = 4;
const MAX_CHARS = 300;

const listed = (texts: readonly string[]) =>
  texts.length <= MAX_NAMED
    ? texts.join(', ')
    : `${texts.slice(0, MAX_NAMED).join(', ')} and ${texts.length - MAX_NAMED} more`;

const cut = (text: string) => truncate(text, MAX_CHARS);

/** `2026-10-31 18:04`: no more than minutes. */
const minute = (text: string) => text.replace('T', ' ').replace(/^(\d{4}-\d\d-\d\d \d\d:\d\d)\S*$/, '$1');

/** How new the rows are: `up to 2026-10-31 18:04, later than 24h allows`. */
export function freshnessText({ last, within, isLate }: Freshness): string {
  const known = last === null ? 'no rows with a time' : `up to ${minute(last)}`;
  return isLate ? `${known}, older than ${within} allows` : known;
}

/** At most two lines: `From:` the tables with periods and filters, and what makes the result less than the whole. */
export function originLines({ tables, filters, periods, policies, limit }: Provenance): string[] {
  if (tables.length === 0) return [];
  const names = tables.map(({ name, freshness }) =>
    freshness === null ? name : `${name} (${freshnessText(freshness)})`,
  );
  const where = [...periods, ...filters].map(({ text }) => text);
  const parts = [
    policies.includes('rows') && 'row security limits the rows',
    policies.includes('values') && 'some columns are masked',
    limit.sampled && 'a sample of the rows',
    limit.truncated && 'not all rows',
  ].filter((part) => part !== false);
  const first = `From: ${listed(names)}${where.length === 0 ? '' : `; ${listed(where)}`}`;
  return [first, ...(parts.length === 0 ? [] : [parts.join('; ')])].map(cut);
}
