import { type Static, Type } from '../../kernel/index.ts';

export const ModelOfflineOptions = Type.Object({}, { additionalProperties: false });
export type ModelOfflineOptions = Static<typeof ModelOfflineOptions>;
