/** The AI SDK's own chat against the agent: turns, a regenerated answer, a stop and a corrected figure. */
import { join } from 'node:path';
import { Chat } from '@ai-sdk/react';
import { DefaultChatTransport, type UIMessage } from 'ai';
import { expect, test } from 'vitest';
import { emptyFolder } from '../../test/harness/command.ts';
import { callSql, scriptedApp } from '../../test/harness/scripted-agent.ts';
import { conversations } from '../conversations/index.ts';
import { grounding } from '../grounding/index.ts';
import { http } from '../http/index.ts';
import { internalDb } from '../internal-db/index.ts';
import { queryApi } from './index.ts';

interface Metadata {
  readonly conversationId?: string;
  readonly outcome?: string;
  readonly notes?: { code: string }[];
}
type AtlasMessage = UIMessage<Metadata>;

const count = (sql: string) => ({ toolCall: { ...callSql(sql).toolCall, id: 'call_1', name: 'executeSQL' } });
const COUNT = count('select count(*) as n from orders');
const RIGHT = { text: 'There are 500 orders.' };
const WRONG = { text: 'There are 510 orders.' };

const parts = (message: AtlasMessage | undefined, type: string) =>
  (message?.parts ?? []).filter((part) => part.type.startsWith(type));
const textOf = (message: AtlasMessage | undefined) =>
  parts(message, 'text')
    .map((part) => ('text' in part ? part.text : ''))
    .join('');

test('one conversation of turns, a regenerated answer, a stop and a correction', async () => {
  using folder = emptyFolder();
  const slow = count("select 'slow' as n");
  const script = [
    ...[COUNT, RIGHT],
    ...[count("select count(*) as n from orders where region = 'north'"), { text: '250 of them are in the north.' }],
    ...[COUNT, RIGHT],
    ...[slow],
    ...[COUNT, WRONG, RIGHT],
    ...[count('select missing from nowhere'), { text: 'The table does not exist.' }],
    ...[COUNT, WRONG, WRONG],
  ];
  await using scripted = await scriptedApp(script, {
    plugins: [
      http({ port: 0, gracefulCloseMs: 200 }),
      queryApi(),
      grounding(),
      internalDb({ url: `sqlite:${join(folder.path, 'atlas.db')}` }),
      conversations(),
    ],
  });
  const { app, shop } = scripted;
  const transport = new DefaultChatTransport<AtlasMessage>({ api: `${app.get(http).url()}/api/chat?stream=ui` });
  const chat = new Chat<AtlasMessage>({ transport });
  const ask = async (text: string) => {
    await chat.sendMessage({ text });
    expect([chat.status, chat.error]).toEqual(['ready', undefined]);
    return chat.messages.at(-1);
  };

  expect(textOf(await ask('How many orders?'))).toBe(RIGHT.text);
  expect(textOf(await ask('And in the north?'))).toBe('250 of them are in the north.');
  await chat.regenerate();
  expect(textOf(chat.messages.at(-1))).toBe(RIGHT.text);

  const asking = chat.sendMessage({ text: 'Slowly?' });
  await expect.poll(() => shop.executed.some((sql) => sql.includes('slow'))).toBe(true);
  await expect.poll(() => parts(chat.messages.at(-1), 'tool-').length).toBe(1);
  await chat.stop();
  await asking;
  await expect.poll(() => shop.stopped.length).toBe(1);

  const corrected = await ask('And now?');
  expect(textOf(corrected)).toBe(`${WRONG.text}\n\nCorrection: ${RIGHT.text}`);
  const failed = await ask('And of nowhere?');
  expect(parts(failed, 'tool-')).toMatchObject([
    { state: 'output-error', errorText: expect.stringContaining('SQLite') },
  ]);
  expect(failed?.metadata?.outcome).toBe('failed');

  const wrong = await ask('How many, again?');
  expect(wrong?.metadata).toMatchObject({ outcome: 'failed' });
  expect(textOf(wrong)).toMatch(/Correction: No reliable answer was reached: .*"510"/);
  const ungrounded = { code: 'ungrounded_figure', message: expect.stringContaining('"510"') };
  expect(parts(wrong, 'data-outcome')).toMatchObject([{ data: { notes: expect.arrayContaining([ungrounded]) } }]);

  const answers = chat.messages.filter(({ role }) => role === 'assistant');
  const calls = answers.flatMap((message) =>
    parts(message, 'tool-').map((part) => 'toolCallId' in part && part.toolCallId),
  );
  expect([calls.length, new Set(calls).size]).toEqual([6, 6]);
  expect(new Set(answers.map(({ id }) => id)).size).toBe(answers.length);
  const [conversationId, ...others] = new Set(answers.map(({ metadata }) => metadata?.conversationId));
  expect(others).toEqual([]);

  const read = async <T>(path: string) => (await app.inject({ method: 'GET', url: `/api/v1/${path}` })).json<T>();
  const { conversations: list } = await read<{ conversations: { id: string }[] }>('conversations');
  expect(list.map(({ id }) => id)).toEqual([conversationId]);
  const stored = async () =>
    (await read<{ messages: (AtlasMessage & { content: AtlasMessage })[] }>(`conversations/${conversationId}`))
      .messages;
  await expect.poll(async () => parts((await stored()).at(-1)?.content, 'data-outcome')).toHaveLength(1);
  expect((await stored()).map(({ id }) => id).filter((id) => answers.some((answer) => answer.id === id))).toHaveLength(
    answers.length,
  );
});
