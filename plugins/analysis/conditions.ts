/**
 * Declares the fields that all tools take. They are those of `queryMetrics`, and the model is not told of them again; a call
 * without `time` that needs it is told so.
 */
import { Type } from '@sinclair/typebox';
import { UNLISTED } from '../agent/index.ts';
import { PlanFilter } from '../semantic-query/index.ts';

export const conditions = {
  time: Type.Optional(Type.String(UNLISTED)),
  filters: Type.Optional(Type.Array(PlanFilter, UNLISTED)),
  segments: Type.Optional(Type.Array(Type.String(), UNLISTED)),
  joinPath: Type.Optional(Type.Array(Type.String(), UNLISTED)),
};
