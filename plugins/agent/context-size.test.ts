import type { LanguageModelV4FunctionTool, LanguageModelV4Message } from '@ai-sdk/provider';
import { Type } from '@sinclair/typebox';
import { describe, expect, test } from 'vitest';
import { messagesWithin, promptSizes, toolsWithin } from './context-size.ts';
import { schemaForModel } from './tools/tool-schema.ts';

const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

describe('the tools of a small model', () => {
  const tool = (name: string, fields: number): LanguageModelV4FunctionTool => ({
    type: 'function',
    name,
    description: `Does ${name}.`,
    inputSchema: schemaForModel(
      Type.Object(
        Object.fromEntries(
          Array.from({ length: fields }, (_, at) => [
            at === 0 ? 'description' : `field${at}`,
            Type.String({ description: `What field ${at} of the tool is for, in some words.` }),
          ]),
        ),
      ),
    ),
  });
  const tools = [tool('small', 1), tool('large', 20), tool('medium', 5)];
  const names = (maxBytes: number) => toolsWithin(tools, maxBytes).map(({ name }) => name);

  test('are offered whole where they fit', () => {
    expect(toolsWithin(tools, bytes(tools))).toBe(tools);
  });

  test('lose the descriptions of their fields first, and no field', () => {
    const offered = toolsWithin(tools, bytes(tools) - 1);
    expect(offered.map(({ name }) => name)).toEqual(['small', 'large', 'medium']);
    expect(offered[1]?.description).toBe('Does large.');
    expect(JSON.stringify(offered)).not.toContain('is for');
    expect(Object.keys(offered[1]?.inputSchema.properties ?? {})).toHaveLength(20);
    expect(offered[0]?.inputSchema.properties).toEqual({ description: { type: 'string' } });
  });

  test('are left out then, the largest first, and the last one never', () => {
    expect(names(900)).toEqual(['small', 'medium']);
    expect(JSON.stringify(toolsWithin(tools, 900))).toContain('is for');
    expect(names(10)).toEqual(['small']);
  });
});

describe('the messages of a small model', () => {
  const user = (text: string): LanguageModelV4Message => ({ role: 'user', content: [{ type: 'text', text }] });
  const said = (text: string): LanguageModelV4Message => ({ role: 'assistant', content: [{ type: 'text', text }] });
  const result = (toolCallId: string): LanguageModelV4Message => ({
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId,
        toolName: 'look',
        output: { type: 'json', value: { rows: 'x'.repeat(1_000) } },
      },
    ],
  });
  const system: LanguageModelV4Message = { role: 'system', content: 'Rules.' };
  const conversation = [system, user('First?'), said('One.'), user('Second?')];
  const steps = ['a', 'b', 'c'].flatMap((id) => [said(`Look ${id}.`), result(id)]);
  const messages = [...conversation, ...steps];
  const within = (maxBytes: number, given = messages) => messagesWithin(given, 3, maxBytes);
  const all = messages.reduce((sum, message) => sum + bytes(message), 0);

  test('stay as they are where they fit', () => {
    expect(within(all)).toEqual(messages);
  });

  test('lose the oldest results first', () => {
    const kept = within(all - 500);
    expect(kept).toHaveLength(messages.length);
    expect(JSON.stringify(kept[5])).toContain('left out');
    expect(JSON.stringify(kept[5])).toContain('"toolCallId":"a"');
    expect(kept.toSpliced(5, 1)).toEqual(messages.toSpliced(5, 1));
  });

  test('lose the earlier conversation then, whole turns of it', () => {
    const kept = within(1_900);
    expect(kept.slice(0, 3)).toEqual([system, user('Second?'), said('Look a.')]);
    expect(kept).toHaveLength(messages.length - 2);
  });

  test('lose the oldest steps then, and the question and the last step never', () => {
    expect(within(10)).toEqual([system, user('Second?'), ...steps.slice(-2)]);
    expect(within(1_600).map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'tool']);
    const corrected = [...messages, said('5.'), user('Is that so?')];
    expect(within(10, corrected)).toEqual([system, user('Second?'), ...corrected.slice(-2)]);
    expect(within(10, conversation)).toEqual([system, user('Second?')]);
  });
});

test('a model of unknown or large context gets the configured sizes', () => {
  const options = { questionBytes: 65_536, historyBytes: 16_384, resultBudgetBytes: 4_096 };
  const { questionBytes, historyBytes } = options;
  expect(promptSizes(options, undefined)).toEqual({ questionBytes, historyBytes, resultBytes: 4_096 });
  expect(promptSizes(options, 1_000_000)).toMatchObject({ questionBytes, historyBytes, resultBytes: 4_096 });
  expect(promptSizes(options, 4_096)).toMatchObject({ historyBytes: 1_228, resultBytes: 1_228 });
});
