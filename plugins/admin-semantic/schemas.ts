/** Describes body and answer of the import. */
import { Type } from '@sinclair/typebox';

export const ImportBody = Type.Object(
  {
    files: Type.Array(
      Type.Object(
        {
          path: Type.String({
            minLength: 1,
            maxLength: 512,
            description: "Relative to the layer's folder: `entities/orders.yml`, `warehouse/metrics/stock.yml`.",
          }),
          content: Type.String({ description: 'The YAML text, at most 512 KiB in UTF-8.' }),
        },
        { additionalProperties: false, title: 'SemanticFile' },
      ),
      { minItems: 1, maxItems: 5_000 },
    ),
    connection: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        description: 'Connection of the imported entities that name none and stand in no folder of a source.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const ImportReply = Type.Object({
  orgId: Type.Union([Type.String(), Type.Null()], { description: '`null`: the shared layer was written.' }),
  imported: Type.Integer({ description: 'Files that were sent.' }),
  changed: Type.Integer({ description: 'Files of them that are new or have another content now.' }),
  copiedSharedLayer: Type.Boolean({
    description: 'Whether this was the first import, before which the shared layer was copied.',
  }),
  entities: Type.Integer({ description: 'Entities of the layer after the import.' }),
  metrics: Type.Integer(),
  glossaryTerms: Type.Integer(),
  problems: Type.Integer({ description: 'What the layer has and the databases lack.' }),
});
