/** Declares the regions. */
import { type Static, Type } from '../../kernel/index.ts';

/** As clouds name theirs: `eu-west-1`, `europe_west`, `US`. */
export const Region = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$',
  errorMessage: 'must be the name of a region, such as eu-west-1, of at most 64 letters, digits, ".", "_" and "-"',
});

export const AdminResidencyOptions = Type.Object(
  {
    region: Type.String({
      ...Region,
      default: 'default',
      expected: 'the name of a region, such as eu-west-1',
      description: 'region of this server, in which organizations are that have never moved',
    }),
    regions: Type.Array(Region, {
      default: [],
      expected: 'a comma-separated list of regions, such as eu-west-1,us-east-1',
      description: 'regions to which organizations may ask to be moved; none: any',
    }),
  },
  { additionalProperties: false },
);
export type AdminResidencyOptions = Static<typeof AdminResidencyOptions>;
