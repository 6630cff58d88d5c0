import { type Static, Type } from '@sinclair/typebox';
import { expect, expectTypeOf, it } from 'vitest';
import { orNull } from './answers.ts';
import { type RowOf, shownBy } from './stored-row.ts';

const Note = Type.Object({
  id: Type.String(),
  createdBy: orNull(Type.String()),
  sizeBytes: Type.Integer(),
  share: orNull(Type.Number()),
  isOpen: Type.Boolean(),
  tags: Type.Array(Type.String()),
  before: orNull(Type.Record(Type.String(), Type.Unknown())),
});
const shown = shownBy(Note);

it('shows of a row what the schema declares, whatever the database has for it', () => {
  const row = {
    id: '1',
    created_by: 'ann',
    size_bytes: '12',
    share: 0.5,
    is_open: 1,
    tags: '["a"]',
    before: '{"b":1}',
  };
  const note = { id: '1', createdBy: 'ann', sizeBytes: 12, share: 0.5, isOpen: true, tags: ['a'], before: { b: 1 } };
  const stored = { ...row, secret: 'sealed' };
  expect(shown(stored)).toEqual(note);
  const empty = { ...row, created_by: null, share: null, is_open: false, before: null };
  expect(shown(empty)).toEqual({ ...note, createdBy: null, share: null, isOpen: false, before: null });
});

it('types the row by the fields', () => {
  expectTypeOf<RowOf<Static<typeof Note>>>().toEqualTypeOf<{
    readonly id: string;
    readonly created_by: string | null;
    readonly size_bytes: number;
    readonly share: number | null;
    readonly is_open: boolean | number;
    readonly tags: string;
    readonly before: string | null;
  }>();
  expect(Object.keys(shown({} as never))).toEqual(Object.keys(Note.properties));
});
