/** Brings the collections that come with the server, and the one that the catalog of the semantic layer makes. */
import { createHash } from 'node:crypto';
import { type SemanticModel, visibleModel } from '../semantic-layer/index.ts';
import type { PromptCollectionWithItems } from './api.ts';

/** Industry of the questions that are about the connected data. */
const OWN_DATA = 'general';
const SINCE = '2026-01-01T00:00:00.000Z';
const MAX_ITEMS = 100;

interface Given {
  readonly name: string;
  readonly industry: string;
  readonly description: string;
  readonly items: readonly { readonly question: string; readonly category: string }[];
}

const of = (category: string, ...questions: string[]) => questions.map((question) => ({ question, category }));

const INDUSTRIES: readonly Given[] = [
  {
    name: 'E-commerce',
    industry: 'ecommerce',
    description: 'Orders, revenue, customers and products of a shop.',
    items: [
      ...of('Revenue', 'What was the revenue last month?', 'How did revenue develop by month over the last year?'),
      ...of('Orders', 'How many orders were placed last week?', 'What is the average value of an order?'),
      ...of(
        'Customers',
        'Who are the ten customers with the most revenue?',
        'How many customers ordered twice or more?',
      ),
      ...of('Products', 'Which ten products sold best last quarter?', 'Which products were returned most often?'),
    ],
  },
  {
    name: 'Subscriptions',
    industry: 'saas',
    description: 'Accounts, plans and churn of a subscription business.',
    items: [
      ...of('Growth', 'How many accounts signed up per month this year?', 'What is the revenue by plan?'),
      ...of('Churn', 'How many accounts cancelled last month?', 'What is the churn by plan?'),
      ...of('Usage', 'Which accounts were most active last month?', 'How many accounts were not active for 30 days?'),
    ],
  },
  {
    name: 'Cybersecurity',
    industry: 'cybersecurity',
    description: 'Alerts, incidents, assets and vulnerabilities.',
    items: [
      ...of('Incidents', 'How many incidents are open, by severity?', 'How long did incidents take to be resolved?'),
      ...of('Alerts', 'Which rules raised the most alerts last week?', 'How many alerts were false positives?'),
      ...of('Vulnerabilities', 'Which assets have the most critical vulnerabilities?'),
    ],
  },
];

/** A UUID that is the same for the same text, as ids of what comes with the server have to be. */
function idOf(text: string): string {
  const hex = createHash('sha256').update(`prompts:${text}`).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}

function built({ items, ...given }: Given, sortOrder: number): PromptCollectionWithItems {
  const id = idOf(given.name);
  const times = { createdAt: SINCE, updatedAt: SINCE };
  return {
    ...{ id, orgId: null, ...given, isBuiltin: true, sortOrder, ...times },
    items: items.map((item, index) => ({
      ...{ id: idOf(`${given.name}/${index}/${item.question}`), collectionId: id, ...item },
      ...{ description: null, sortOrder: index, ...times },
    })),
  };
}

const CATALOG = 'About this data';
const CATALOG_ID = idOf(CATALOG);

/** The verified queries to begin with, and the common questions of the catalog about entities that users may see. */
function catalogQuestions(model: SemanticModel): Given {
  const visible = new Set(visibleModel(model).entities.map(({ name }) => name.toLowerCase()));
  const items = (model.catalog?.entities ?? [])
    .filter(({ name }) => visible.has(name.toLowerCase()))
    .flatMap(({ name, common_questions = [] }) => of(name, ...common_questions));
  // Those with parameters are no questions that can be asked as they are.
  const onboarding = (visibleModel(model).verified ?? [])
    .filter(({ onboarding: isFirst, question }) => isFirst === true && !/\{\w+\}/.test(question))
    .map(({ question }) => question);
  const all = [...of('Verified', ...onboarding), ...items];
  const description = 'Questions that the catalog of the semantic layer names.';
  return { name: CATALOG, industry: OWN_DATA, description, items: all.slice(0, MAX_ITEMS) };
}

export const isBuiltIn = (id: string) => id === CATALOG_ID || INDUSTRIES.some(({ name }) => idOf(name) === id);

/** The collections that nobody can change. Without a catalog that has questions, those of industries only. */
export function builtIn(model: SemanticModel | undefined): PromptCollectionWithItems[] {
  const own = model === undefined ? [] : [catalogQuestions(model)].filter(({ items }) => items.length > 0);
  return [...own, ...INDUSTRIES].map(built);
}
