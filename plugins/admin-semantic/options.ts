/** Declares how many earlier versions of files are kept. */
import { type Static, Type } from '../../kernel/index.ts';

export const AdminSemanticOptions = Type.Object(
  {
    keptVersions: Type.Integer({
      default: 50,
      minimum: 1,
      maximum: 1_000,
      description: 'earlier versions that are kept of each file of the semantic layer',
    }),
    keptVersionBytes: Type.Integer({
      default: 67_108_864,
      minimum: 4_194_304,
      maximum: 1_073_741_824,
      description: 'bytes that the earlier versions of the files of one organization may have; the oldest are deleted',
    }),
  },
  { additionalProperties: false },
);
export type AdminSemanticOptions = Static<typeof AdminSemanticOptions>;
