/** Questions in other languages over an English layer, as a model gets them through the provider package. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FOREIGN_QUESTIONS, translateLayer } from '../../test/fixtures/foreign-questions.ts';
import { createTestApp, type TestApp } from '../../test/harness/create-test-app.ts';
import { layerFolder } from '../../test/harness/layer-folder.ts';
import { type OpenAIServer, startOpenAIServer } from '../../test/harness/openai-server.ts';
import { agent } from '../agent/index.ts';
import { datasourceSqlite } from '../datasource-sqlite/index.ts';
import { DEMOS, loadDemo } from '../demo-data/index.ts';
import { readCases } from '../eval/index.ts';
import { modelOpenai } from '../model-openai/index.ts';
import { outbound } from '../outbound/index.ts';
import { ambiguityObjections } from './ambiguous-terms.ts';
import { loadSemanticLayer, semanticLayer } from './index.ts';

const dir = mkdtempSync(join(tmpdir(), 'atlas-languages-'));
let server: OpenAIServer;
let app: TestApp;
/** The same over the layer without translations. */
let english: TestApp;

beforeAll(async () => {
  cpSync(DEMOS.ecommerce.layer, dir, { recursive: true });
  translateLayer(dir);
  server = await startOpenAIServer({ respond: () => ({ text: 'Done.' }) });
  const url = `sqlite:${join(dir, 'shop.db')}`;
  await loadDemo('ecommerce', { url });
  const start = (layer: string) =>
    createTestApp({
      plugins: [
        semanticLayer({ dir: layer }),
        datasourceSqlite({ connections: [{ id: 'default', url }] }),
        outbound(),
        modelOpenai({ provider: 'openai-compatible', baseUrl: server.url, model: 'm' }),
        agent(),
      ],
    });
  app = await start(dir);
  english = await start(DEMOS.ecommerce.layer);
});
afterAll(async () => {
  await app?.close();
  await english?.close();
  await server?.close();
  rmSync(dir, { recursive: true, force: true });
});

/** What the model is sent for a question. */
async function promptFor(question: string, asked = app): Promise<{ instructions: string; question: string }> {
  const before = server.requests.length;
  await asked.get(agent).answer({ turns: [{ role: 'user', text: question }], surface: 'api' }, asked.scope());
  const { instructions, question: text } = server.requests[before]!;
  return { instructions, question: text };
}

/** The texts of the entities in detail, by name. */
const shownIn = (text: string): Map<string, string> =>
  new Map(
    text
      .split('\n## ')
      .slice(1)
      .map((block) => [/^[^(:\n]*/.exec(block)?.[0].trim() ?? '', block.split('\n# ')[0] ?? '']),
  );

/** What is missing in the prompt of a question. */
async function missedBy({ question, needed }: (typeof FOREIGN_QUESTIONS)[number], asked = app): Promise<string[]> {
  const { entities = [], members = [], values = [] } = needed;
  const prompt = await promptFor(question, asked);
  const shown = shownIn(prompt.question);
  const isWhole = (name: string) => {
    const [entity = '', member] = name.split('.');
    const lines = shown.get(entity)?.split('\n') ?? [];
    return lines.some((line) => [' (', ' = ', ': '].some((next) => line.startsWith(`- ${member}${next}`)));
  };
  return [
    ...entities.filter((name) => !shown.has(name)),
    ...members.filter((name) => !isWhole(name)),
    ...values.filter((value) => ![...shown.values()].some((text) => text.includes(value))),
  ];
}

describe('a question in another language', () => {
  it.each(FOREIGN_QUESTIONS)('$language: $question', async (asked) => {
    expect(await missedBy(asked)).toEqual([]);
  });

  it('needs the translations', async () => {
    const missed = await Promise.all(FOREIGN_QUESTIONS.map((asked) => missedBy(asked, english)));
    expect(missed.filter(({ length }) => length > 0).length).toBeGreaterThan(40);
  });

  it('has its words in the prompt', async () => {
    const { question } = await promptFor('Wie hoch sind die Versandkosten je Paketdienst?');
    expect(question).toContain('- carrier_cost = sum(');
    expect(question).toContain('(also: Versandkosten, ');
  });

  it('has beside a value what it is called, where the question names it', async () => {
    const { question } = await promptFor('Wie viele Retouren waren BESCHADIGT?');
    expect(question).toContain('; e.g. damaged (also: beschädigt), not_as_described, ');
    const other = await promptFor('Wie viele Retouren gab es je Monat?');
    expect(other.question).toContain('reason_code');
    expect(other.question).not.toContain('beschädigt');
  });

  it('asks which meaning of an ambiguous term is meant that it names by a translation', async () => {
    using folder = layerFolder({
      'entities/orders.yml': 'table: orders\nmeasures: [{ name: gross, type: count }, { name: net, type: count }]\n',
      'glossary.yml':
        'terms: [{ term: revenue, translations: { de: [Umsatz], ja: [売上] }, meanings: [{ name: gross }, { name: net }] }]\n',
    });
    const model = await loadSemanticLayer(folder.dir);
    const objectionsTo = (text: string) => ambiguityObjections(model, [{ role: 'user', text }]);
    for (const text of ['Wie hoch ist der Umsatz?', '今月の売上はいくらですか?'])
      expect(objectionsTo(text)).toMatchObject([
        { message: expect.stringContaining('"revenue" has several meanings') },
      ]);
    expect(objectionsTo('How many Umsatz are there?')).toEqual([]);
  });
});

describe('an English question', () => {
  it('is sent the same bytes whether the layer has translations or not', async () => {
    const questions = readCases(join(import.meta.dirname, '..', '..'))
      .filter(({ schema }) => schema === 'ecommerce')
      .map(({ question }) => question)
      .slice(0, 60);
    // Every process and app has marks of its own around what comes from the layer.
    const plain = (sent: object) => JSON.stringify(sent).replace(/ [0-9a-f]{12}\b/g, '');
    for (const question of questions)
      expect(plain(await promptFor(question))).toBe(plain(await promptFor(question, english)));
  });

  it('is not shown translations by the tool explore', async () => {
    const shown = await app.get(semanticLayer).explore(app.scope(), 'entities/shipments.yml');
    expect(shown).toContain('carrier_cost');
    expect(shown).not.toMatch(/translations|Versandkosten|unterwegs/);
  });
});

it('translations of values are told nowhere that the values are not', async () => {
  const PEOPLE = [
    'table: people',
    'dimensions:',
    '- { name: country, value_translations: { de: { Germany: [Deutschland], Iceland: [Island] } } }',
    '- { name: disease, mask: "\'*\'", sample_values: [flu], value_translations: { de: { flu: [Grippe] } } }',
    '- { name: secret, hidden: true, value_translations: { de: { cancer: [Krebs] } } }',
    '',
  ].join('\n');
  const others = Array.from({ length: 40 }, (_, at) => [
    `entities/t${at}.yml`,
    `table: t${at}\ndescription: ${'Nothing of interest. '.repeat(20)}\n`,
  ]);
  for (const files of [{}, Object.fromEntries(others)]) {
    using folder = layerFolder({ 'entities/people.yml': PEOPLE, ...files });
    await using own = await createTestApp({ plugins: [semanticLayer({ dir: folder.dir })] });
    const layer = own.get(semanticLayer);
    const turns = [{ role: 'user', text: 'Wie viele Leute aus Island haben Grippe oder Krebs?' }] as const;
    const { stable, perQuestion } = await layer.explain({ turns, surface: 'api' }, own.scope());
    // A large layer is not given whole, and has only the words that the question says.
    const isWhole = perQuestion === '';
    const told = isWhole ? 'Germany (also: Deutschland), Iceland (also: Island)' : 'Iceland (also: Island), Germany';
    expect(isWhole ? stable : perQuestion).toContain(`- country (string); e.g. ${told}\n`);
    expect(stable + perQuestion).not.toMatch(/Grippe|flu|Krebs|cancer/);
    expect(await layer.explore(own.scope(), 'entities/people.yml')).not.toMatch(/Grippe|flu|Krebs|cancer|Island/);
  }
});

it('a language that is not known is a problem of the file', async () => {
  using folder = layerFolder({ 'entities/orders.yml': 'table: orders\ntranslations: { dt: [Bestellungen] }\n' });
  const { problems } = await loadSemanticLayer(folder.dir);
  expect(problems).toMatchObject([{ message: expect.stringMatching(/^Unknown key `dt` in `translations`/) }]);
});
