import { join } from 'node:path';
import { generateText, jsonSchema, stepCountIs, tool } from 'ai';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { FOREIGN_QUESTIONS } from '../../test/fixtures/foreign-questions.ts';
import { loadSemanticLayer, type SemanticModel } from '../semantic-layer/index.ts';
import { kitDialect } from '../sql-kit/index.ts';
import { createOfflineModel } from './offline-model.ts';

const sqlite = await kitDialect('sqlite');

let layer: SemanticModel;
beforeAll(async () => {
  layer = await loadSemanticLayer(join(import.meta.dirname, 'fixtures', 'clinic'));
});

const called: string[] = [];
const recorded = (name: string) =>
  tool({
    description: name,
    inputSchema: jsonSchema<object>({ type: 'object' }),
    execute: () => {
      called.push(name);
      return { values: [], columns: ['count'], rows: [{ count: 7 }], rowCount: 1 };
    },
  });

async function ask(...said: string[]): Promise<string> {
  called.length = 0;
  const { text } = await generateText({
    model: createOfflineModel({ model: layer, dialectOf: () => sqlite, now: () => new Date('2025-12-15T10:00:00Z') }),
    messages: said.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content })),
    tools: { executeSQL: recorded('executeSQL'), findValues: recorded('findValues') },
    stopWhen: stepCountIs(5),
  });
  return text;
}

const SENTENCES = {
  de: 'Ohne Sprachmodell verstehe ich nur Fragen auf Englisch: Bitte stellen Sie die Frage auf Englisch.',
  fr: 'Sans modèle de langage, je ne comprends que les questions en anglais : veuillez poser la question en anglais.',
  es: 'Sin un modelo de lenguaje solo entiendo preguntas en inglés: haga la pregunta en inglés, por favor.',
  pt: 'Sem um modelo de linguagem, só entendo perguntas em inglês: faça a pergunta em inglês, por favor.',
  ja: '言語モデルが設定されていないため、英語の質問だけに答えられます。英語で質問してください。',
};

describe('a question that is not English', () => {
  test.each(FOREIGN_QUESTIONS)('$question', async ({ question, language }) => {
    expect(await ask(question)).toBe(SENTENCES[language]);
    expect(called).toEqual([]);
  });
});

it('a question that is read stays answered, and an English one is refused as before', async () => {
  expect(await ask('How many patients are there?')).toContain('Count: 7.');
  expect(await ask('Wie viele Termine gab es 2025?', SENTENCES.de, 'How many patients are there?')).toContain(
    'Count: 7.',
  );
  expect(await ask('How many zeppelins are there?')).toContain('"zeppelins"');
  expect(called).toContain('findValues');
});
