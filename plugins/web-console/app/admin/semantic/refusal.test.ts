import { expect, it } from 'vitest';
import { ApiError } from '../../api/failure.ts';
import { objectionsOf } from './refusal.ts';

const refused = (code: string, paths: readonly string[]) =>
  new ApiError({ message: 'No.', status: 422, code, details: paths.map((path) => ({ path, message: 'Wrong.' })) });

it('reads file and place of each objection', () => {
  expect(objectionsOf(refused('validation_error', ['entities/a b:c.yml:3:7', 'glossary.yml', '']))).toEqual([
    { file: 'entities/a b:c.yml', line: 3, column: 7, message: 'Wrong.' },
    { file: 'glossary.yml', line: 1, column: 1, message: 'Wrong.' },
    { file: '', line: 1, column: 1, message: 'Wrong.' },
  ]);
});

it('reads nothing of other failures', () => {
  expect(objectionsOf(refused('conflict', ['a:1:1']))).toEqual([]);
  expect(objectionsOf(new Error('x'))).toEqual([]);
});
