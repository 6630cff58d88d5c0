import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadSemanticLayer, type SemanticModel } from '../semantic-layer/index.ts';
import { type Reading, readQuestion } from './conversation.ts';

const now = new Date('2025-12-15T10:00:00Z');
let clinic: SemanticModel;
let saas: SemanticModel;
beforeAll(async () => {
  clinic = await loadSemanticLayer(join(import.meta.dirname, 'fixtures', 'clinic'));
  saas = await loadSemanticLayer(join(import.meta.dirname, 'fixtures', 'saas'));
});

const read = (model: SemanticModel, ...history: string[]): Reading => readQuestion(history, model, { now });
function planOf(model: SemanticModel, ...history: string[]) {
  const reading = read(model, ...history);
  if (reading.kind !== 'plan') throw new Error(JSON.stringify(reading));
  return reading.plan;
}

describe('follow-ups', () => {
  const first = 'How many visits were there in 2024?';
  it('adds a group', () => {
    expect(planOf(clinic, first, 'and by status?')).toMatchObject({
      dimensions: [{ dimension: 'visits.status' }],
      timeRange: { from: '2024-01-01', to: '2025-01-01' },
    });
  });
  it('replaces the time', () => {
    expect(planOf(clinic, first, 'only for 2025').timeRange).toMatchObject({ from: '2025-01-01', to: '2026-01-01' });
    expect(planOf(clinic, first, 'and last year?').timeRange).toMatchObject({ from: '2024-01-01' });
  });
  it('replaces a value of the same dimension and keeps the others', () => {
    const plan = planOf(clinic, 'How many patients in Leipzig are female?', 'what about Dresden?');
    expect(plan.filters).toContainEqual({ dimension: 'patients.city', operator: 'equals', values: ['Dresden'] });
    expect(plan.filters).toContainEqual({ dimension: 'patients.gender', operator: 'equals', values: ['female'] });
    expect(plan.filters).toHaveLength(2);
  });
  it('excludes, ranks, lists and counts', () => {
    expect(planOf(clinic, first, 'exclude cancelled visits').filters).toEqual([
      { dimension: 'visits.status', operator: 'not_equals', values: ['cancelled'] },
    ]);
    expect(planOf(clinic, 'revenue by doctor', 'top 3 only').limit).toBe(3);
    expect(planOf(clinic, first, 'as a list').entity).toBe('visits');
    expect(planOf(clinic, 'Which patients live in Halle?', 'how many').measures).toEqual(['patients.count']);
  });
  it('adds a figure and keeps the conditions', () => {
    expect(planOf(clinic, 'How many visits were cancelled in 2024?', 'and the revenue?')).toMatchObject({
      measures: ['visits.count', 'visits.total_fees'],
      filters: [{ dimension: 'visits.status', operator: 'equals', values: ['cancelled'] }],
      timeRange: { from: '2024-01-01' },
    });
  });
  it('counts those of the rows before that meet a condition', () => {
    expect(planOf(clinic, 'visits by doctor in 2024', 'how many were cancelled?')).toMatchObject({
      measures: ['visits.count'],
      dimensions: [{ dimension: 'doctors.name' }],
      filters: [{ dimension: 'doctors.doctor_id' }, { dimension: 'visits.status', values: ['cancelled'] }],
      timeRange: { from: '2024-01-01' },
    });
    expect(read(clinic, 'revenue by doctor', 'how many?').kind).toBe('unclear');
  });
  it('starts anew with a question of its own', () => {
    expect(planOf(clinic, first, 'How many doctors are there?').timeRange).toBeUndefined();
  });
});

describe('asking back', () => {
  it('names the meanings of an ambiguous term and takes the answer', () => {
    const asked = read(clinic, 'What was the volume in 2025?');
    expect(asked).toMatchObject({ kind: 'clarify', choices: ['visits (number of visits)', 'billing (total fees)'] });
    for (const reply of ['the second', '2', 'billing', 'total fees']) {
      expect(planOf(clinic, 'What was the volume in 2025?', reply)).toMatchObject({
        measures: ['visits.total_fees'],
        timeRange: { from: '2025-01-01' },
      });
    }
  });
  it('does not ask when a longer name says which is meant', () => {
    expect(planOf(saas, 'How many paying subscriptions are there?').segments).toEqual(['subscriptions.paying']);
  });
  it('asks which year a bare month is of', () => {
    expect(read(clinic, 'How many visits in March?')).toMatchObject({
      kind: 'clarify',
      choices: ['March 2025', 'March 2024'],
    });
    expect(planOf(clinic, 'How many visits in March?', '2024').timeRange).toMatchObject({
      from: '2024-03-01',
      to: '2024-04-01',
    });
  });
  it('takes another question instead of an answer', () => {
    expect(planOf(clinic, 'What was the volume in 2025?', 'How many doctors are there?').measures).toEqual([
      'doctors.count',
    ]);
  });
});

describe('what is not understood', () => {
  it.each([
    ['How many surgeries were there in 2025?', 'surgeries'],
    ['How many visits on weekends?', 'weekends'],
    ['median fee', 'median'],
    ['How many patients in Berlin?', 'Berlin'],
    ['visits by nurse', 'nurse'],
    ['delete all visits', 'delete'],
  ])('says so: %s', (question, word) => {
    const reading = read(clinic, question);
    expect(reading.kind).toBe('unclear');
    expect(reading.kind === 'unclear' && reading.words.join(' ')).toContain(word);
  });
  it('offers three questions that it can answer', () => {
    const reading = read(clinic, 'How many surgeries were there?');
    if (reading.kind !== 'unclear') throw new Error(reading.kind);
    expect(reading.suggestions).toHaveLength(3);
    for (const question of reading.suggestions) expect(read(clinic, question).kind).toBe('plan');
  });
  it('never throws for what people type', () => {
    const odd = [
      '',
      '   ',
      '?',
      '🙂',
      'null',
      'by',
      'and and and',
      'not',
      'top',
      '5',
      'in 2024',
      "'; DROP TABLE visits; --",
      'between 5 and',
      'vs',
      'more than',
      'x'.repeat(5000),
      '%%%',
      'average',
      'which',
      'the the',
      'or',
    ];
    for (const text of odd) expect(() => read(clinic, text)).not.toThrow();
  });
  it('says that it reads English', () => {
    expect(read(clinic, 'Wie viele Termine gab es 2025?')).toMatchObject({ reason: 'I read English only.' });
  });
  it('offers the nearest complete reading, which a number or "yes" takes', () => {
    const question = 'revenue in 2024 on weekends';
    expect(read(clinic, question)).toMatchObject({
      isNear: true,
      suggestions: ['Revenue in 2024?', expect.any(String), expect.any(String)],
    });
    for (const reply of ['1', 'yes'])
      expect(planOf(clinic, question, reply)).toMatchObject({
        measures: ['visits.total_fees'],
        timeRange: { from: '2024-01-01' },
      });
  });
});

describe('talk', () => {
  it('explains a term, the layer and itself without data', () => {
    expect(read(clinic, 'What does no-show mean?')).toEqual({
      kind: 'talk',
      text: 'no-show: A visit whose status is no_show.',
    });
    expect(read(clinic, 'What tables are there?')).toMatchObject({
      kind: 'talk',
      text: expect.stringContaining('doctors'),
    });
    expect(read(clinic, 'help')).toMatchObject({ kind: 'talk', text: expect.stringContaining('patients') });
  });
});

describe('size', () => {
  it('says that a message is too long, and reads the next', () => {
    const pasted = 'a '.repeat(32_000);
    expect(read(clinic, pasted)).toMatchObject({
      kind: 'unclear',
      words: [],
      reason: 'It has 64000 characters; without a language model at most 2000 are read. Ask in one sentence.',
      suggestions: [expect.any(String), expect.any(String), expect.any(String)],
    });
    expect(planOf(clinic, pasted, 'How many patients are there?').measures).toEqual(['patients.count']);
  });

  it('reads the last 20 messages', () => {
    const question = 'How many visits are there?';
    expect(planOf(clinic, question, ...Array(18).fill('by status'), 'by doctor').measures).toEqual(['visits.count']);
    expect(read(clinic, question, ...Array(20).fill('those')).kind).toBe('unclear');
  });

  it('reads a layer of 2,000 entities', () => {
    const entities = Array.from({ length: 2000 }, (_, i) => ({
      ...clinic.entities[i % clinic.entities.length]!,
      name: `thing_${i}`,
      table: `thing_${i}`,
      joins: [],
    }));
    const byName = new Map(entities.map((entity) => [entity.name, entity]));
    const model: SemanticModel = {
      ...clinic,
      entities,
      metrics: [],
      glossary: [],
      entity: (name) => byName.get(name.toLowerCase()),
      metric: () => undefined,
    };
    expect(planOf(model, 'How many thing 77 are there?').measures).toEqual(['thing_77.count']);
  });
});
