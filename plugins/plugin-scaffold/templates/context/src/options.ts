/** Declares the options: they are checked by this schema when Atlas starts. */
import { type Static, Type } from 'atlas-query';

export const Options = Type.Object(
  {
    fiscalYearStart: Type.Integer({
      minimum: 1,
      maximum: 12,
      default: 1,
      description: 'month in which the fiscal year begins; it is named after the year in which it ends',
    }),
    timeZone: Type.String({ default: 'UTC', description: 'IANA name of the time zone in which a day begins' }),
    holidays: Type.Array(
      Type.Object(
        {
          date: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'as 2026-12-24' }),
          name: Type.String({ minLength: 1, maxLength: 80 }),
        },
        { additionalProperties: false },
      ),
      { default: [], maxItems: 400, description: 'days on which the company is closed' },
    ),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
