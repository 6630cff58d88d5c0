/** Names the periods of budgets, days and months in UTC, and says when the next one begins. */

/** `YYYY-MM-DD` */
export const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** `YYYY-MM` */
export const monthOf = (at: number) => new Date(at).toISOString().slice(0, 7);

export function nextDay(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + 1);
}

export function nextMonth(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}
