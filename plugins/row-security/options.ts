import { type Static, Type } from '../../kernel/index.ts';

const name = (description: string) => Type.String({ minLength: 1, description });
const tables = (description: string) => Type.Array(Type.String({ minLength: 1 }), { description });

export const Policy = Type.Object(
  {
    tables: Type.Optional(
      tables(
        'Tables it holds for, `name` or `schema.name`; without, every table, and one without the column is refused',
      ),
    ),
    connection: Type.Optional(name('Connection it holds for; without, every connection')),
    column: Type.Optional(name('Column that must equal the claim, or one of its values')),
    condition: Type.Optional(
      name('SQL over the columns of the table, in place of `column`; `{claim}` stands for the bound value or values'),
    ),
    claim: Type.Optional(name('Claim with the value: its name, or a path such as `org.tenant_id`')),
  },
  { additionalProperties: false },
);
export type Policy = Static<typeof Policy>;

export const RowSecurityOptions = Type.Object(
  {
    column: Type.Optional(name('Column by which every table is filtered; stands for a policy without tables')),
    claim: Type.Optional(name('Claim that the column must equal')),
    exempt: Type.Array(Type.String({ minLength: 1 }), {
      default: [],
      description: 'Tables without that column that may be read all the same, `name` or `schema.name`',
    }),
    policies: Type.Array(Policy, { default: [], description: 'Further policies; all that apply to a table must hold' }),
    staticClaims: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'claims of actors that have none at all' }),
    ),
    unmaskRoles: Type.Array(Type.Union([Type.Literal('viewer'), Type.Literal('analyst'), Type.Literal('admin')]), {
      default: [],
      description: 'Roles that see masked columns unmasked; by default none',
    }),
    describeEveryMs: Type.Integer({
      minimum: 0,
      default: 300_000,
      description: 'Age at which the columns of a database are read anew, in milliseconds',
    }),
    recheckMs: Type.Integer({
      minimum: 0,
      default: 5_000,
      description: 'The same while a table lacks what a policy needs, in milliseconds',
    }),
  },
  { additionalProperties: false },
);
export type RowSecurityOptions = Static<typeof RowSecurityOptions>;
