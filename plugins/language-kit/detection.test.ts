import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { FOREIGN_QUESTIONS } from '../../test/fixtures/foreign-questions.ts';
import { corpusNames, readCorpus } from '../../test/harness/question-corpus.ts';
import { readCases } from '../eval/index.ts';
import { languageOf, languageOfTurns } from './index.ts';

const root = join(import.meta.dirname, '..', '..');

/** Questions of the corpora that are asked in another language on purpose. */
const FOREIGN = /^(?:combien de|Wie (?:viele|hoch)) /;

/** Every English question of the repository: corpora, evaluation, layers of the demos, verified queries. */
function englishQuestions(): string[] {
  const corpora = corpusNames().flatMap((name) =>
    readCorpus(name).questions.flatMap(({ question, history }) => [question, ...history]),
  );
  const files = globSync(
    '{{semantic,plugins/demo-data/*/semantic,plugins/*/fixtures}/**/*.yml,plugins/model-offline/*.questions.ts}',
    { cwd: root },
  );
  const written = files.flatMap((path) =>
    Array.from(
      readFileSync(join(root, path), 'utf8').matchAll(
        /\b(?:question|description|definition): *(.+)|^ *(?:- |\[?['"])([A-Za-z].+\?)(?:$|['"],)/gm,
      ),
      ([, text, item]) => text ?? item ?? '',
    ),
  );
  const all = [...corpora, ...readCases(root).map(({ question }) => question), ...written];
  return [...new Set(all)].filter((text) => !FOREIGN.test(text));
}

describe('English', () => {
  it('is never taken for another language, in all questions and descriptions of the repository', () => {
    const questions = englishQuestions();
    expect(questions.length).toBeGreaterThan(2_500);
    expect(questions.filter((text) => languageOf(text) !== undefined)).toEqual([]);
  });

  test.each([
    'Revenue of Rio de Janeiro, São Paulo and Foz do Iguaçu',
    'Hotel de la Paix bookings 2024',
    'trips El Paso Los Angeles Las Vegas',
    'Show me umsatz by monat',
    'orders of お茶 in 2024',
    'top お茶 orders',
    'How many orders came from "wie viele Kunden und welche Bestellungen"?',
    'When did the patients die, and was it in an ICU?',
    'MIT, IM and ES clusters',
    'clients por favor',
    'Côte d’Ivoire sales',
    'der die das',
    '東京 revenue',
    'SELECT de, la FROM en',
    '',
    '2024',
  ])('%s', (text) => expect(languageOf(text)).toBeUndefined());
});

describe('other languages', () => {
  test.each(FOREIGN_QUESTIONS)('$question is $language', ({ question, language }) => {
    expect(languageOf(question)).toBe(language);
  });

  test.each([
    ['umsatz nach region 2024', 'de'],
    ['WIE VIELE KUNDEN HABEN BESTELLT?', 'de'],
    ['Wie viele Leads haben den Status not contacted?', 'de'],
    ['cuantos clientes tenemos', 'es'],
    ['¿Ventas por región?', 'es'],
    ['qual foi o faturamento de ontem', 'pt'],
    ['quantas vendas fizeram os nossos clientes', 'pt'],
    ["quel est le chiffre d'affaires par mois", 'fr'],
    ['SKU-ABC の売上はいくら', 'ja'],
    ['iPhone の売上はいくらですか', 'ja'],
  ])('%s is %s', (text, language) => expect(languageOf(text)).toBe(language));

  it('is that of the last question that says it', () => {
    const asked = (...texts: string[]) => languageOfTurns(texts.map((text) => ({ role: 'user', text })));
    expect(asked('Wie viele Kunden gibt es?', '2025')).toBe('de');
    expect(asked('Wie viele Kunden gibt es?', 'And by region?')).toBeUndefined();
    expect(asked('How many customers?', 'Y por región cuántos?')).toBe('es');
    expect(asked('Wie viele Kunden gibt es?', '1', '2', '3')).toBeUndefined();
  });

  it('is read at the beginning of a long text only', () => {
    expect(languageOf(`${'the order of '.repeat(100)} wie viele Kunden und welche`)).toBeUndefined();
    expect(languageOf('wie viele Kunden '.repeat(100_000))).toBe('de');
  });
});
