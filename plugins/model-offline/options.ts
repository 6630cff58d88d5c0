import { type Static, Type } from '@sinclair/typebox';

export const ModelOfflineOptions = Type.Object({}, { additionalProperties: false });
export type ModelOfflineOptions = Static<typeof ModelOfflineOptions>;
