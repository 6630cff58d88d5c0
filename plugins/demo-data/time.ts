/** Writes times as the tables hold them. */
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** `YYYY-MM-DD` */
export const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** `YYYY-MM-DD HH:MM:SS` */
export const timestampOf = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
