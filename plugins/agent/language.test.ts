/** What the model is told about the language of a question, through the provider package. */
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { type OpenAIServer, startOpenAIServer } from '../../test/harness/openai-server.ts';
import { SqliteFolder } from '../../test/harness/sqlite.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { modelOpenai } from '../model-openai/index.ts';
import { outbound } from '../outbound/index.ts';
import { agent } from './index.ts';

const databases = new SqliteFolder();
let server: OpenAIServer;
let app: TestApp;
beforeAll(async () => {
  server = await startOpenAIServer({ respond: () => ({ text: 'Done.' }) });
  const url = `sqlite:${databases.create('shop.db', 'CREATE TABLE orders (id INTEGER)')}`;
  app = await createTestApp({
    plugins: [
      datasourceSqlite({ connections: [{ id: 'default', url }] }),
      outbound(),
      modelOpenai({ provider: 'openai-compatible', baseUrl: server.url, model: 'm' }),
      agent(),
    ],
  });
});
afterAll(async () => {
  await app?.close();
  await server?.close();
  databases[Symbol.dispose]();
});

/** The message with the last of the texts, which user and assistant have said in turn. */
async function sent(...texts: string[]): Promise<string> {
  const turns = texts.map((text, at) => ({ role: at % 2 === 0 ? ('user' as const) : ('assistant' as const), text }));
  await app.get(agent).answer({ turns, surface: 'api' }, app.scope());
  return server.requests.at(-1)!.question;
}

test.each([
  ['Wie viele Bestellungen gab es 2025?', 'German', '1.234.567,89 and 12,5 %'],
  ['Combien de commandes y a-t-il eu ?', 'French', '1 234 567,89 and 12,5 %'],
  ['¿Cuántos pedidos hubo en 2025?', 'Spanish', '1.234.567,89 and 12,5 %'],
  ['Quantos pedidos houve em 2025?', 'Portuguese', '1.234.567,89 and 12,5%'],
  ['注文は何件ありましたか?', 'Japanese', '1,234,567.89 and 12.5%'],
])('%s is to be answered in %s with numbers like %s', async (question, name, numbers) => {
  const text = await sent(question);
  expect(text).toContain(
    `Language\nThe question is in ${name}. Answer in ${name}, with numbers written as ${numbers}. `,
  );
  expect(text.endsWith(question)).toBe(true);
});

it('is told nothing of an English question', async () => {
  expect(await sent('How many orders were there in 2025?')).toBe('How many orders were there in 2025?');
});

it('keeps the language in a follow-up that says nothing of it, and loses it in one that does', async () => {
  const before = ['Welche Kunden haben am meisten bestellt?', 'Acme.'];
  expect(await sent(...before, '2025?')).toContain('The question is in German.');
  expect(await sent(...before, 'And how many were there in 2025?')).not.toContain('The question is in');
});
