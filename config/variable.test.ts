import { describe, expect, it } from 'vitest';
import { definePlugin, Type } from '../kernel/index.ts';
import { alternative, ambiguity, choose, settings } from './variable.ts';

const model = (name: string) =>
  definePlugin({
    name: `model-${name}`,
    version: '1.0.0',
    type: 'model',
    description: 'Answers.',
    options: Type.Object({
      apiKey: Type.Optional(Type.String({ description: 'key' })),
      retries: Type.Integer({ default: 2, minimum: 0, maximum: 5 }),
    }),
    setup: () => {},
  });

describe('alternatives', () => {
  const providers = ['first', 'second', 'third'].map((name) =>
    name === 'third'
      ? alternative({ name }, model(name), {})
      : alternative({ name, aliases: [`${name}-too`], chosenBy: `${name.toUpperCase()}_KEY` }, model(name), {
          apiKey: `${name.toUpperCase()}_KEY`,
        }),
  );
  const chosen = (values: Record<string, string>) =>
    choose(providers, 'PROVIDER', new Map(Object.entries(values))).name;
  const problems = (values: Record<string, string>) =>
    ambiguity(providers, 'PROVIDER', new Map(Object.entries(values)));

  it('the one that is named, else the one whose variable is set, else the last', () => {
    expect(chosen({ PROVIDER: 'second', FIRST_KEY: 'k' })).toBe('second');
    expect(chosen({ PROVIDER: 'second-too' })).toBe('second');
    expect(chosen({ SECOND_KEY: 'k' })).toBe('second');
    expect(chosen({})).toBe('third');
  });

  it('two that are asked for are a problem, unless one is named', () => {
    const both = { FIRST_KEY: 'k', SECOND_KEY: 'k' };
    expect(problems(both)).toEqual(['FIRST_KEY and SECOND_KEY are set; choose one with PROVIDER: first or second.']);
    expect([problems({ ...both, PROVIDER: 'first' }), problems({ FIRST_KEY: 'k' })]).toEqual([[], []]);
  });
});

it('a variable takes range, default and description from its option', () => {
  const { variables, read } = settings(model('any'), { retries: 'SVC_RETRIES' });
  expect(variables).toMatchObject([
    { name: 'SVC_RETRIES', expected: 'an integer from 0 to 5', options: ['model-any.retries'] },
  ]);
  expect([variables[0]?.read('3'), variables[0]?.read('6'), variables[0]?.read('x')]).toEqual([
    3,
    undefined,
    undefined,
  ]);
  expect([read(new Map()), read(new Map([['SVC_RETRIES', 3]]))]).toEqual([{ retries: 2 }, { retries: 3 }]);
});
