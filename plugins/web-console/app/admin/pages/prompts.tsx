/** Shows collections of questions to choose from, and changes those of the organization. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { PromptCollection, PromptCollectionWithItems, PromptItem } from '../../../../admin-prompts/index.ts';
import { call } from '../../api/client.ts';
import { ADMIN_KEY } from '../../api/queries.ts';
import { Alert } from '../../ui/alert.tsx';
import { Loading } from '../../ui/loading.tsx';
import { ActionMenu } from '../action-menu.tsx';
import styles from '../admin.module.css';
import { OPERATION_TEXTS } from '../operation-texts.ts';
import { Text } from '../parts.tsx';
import { cleared, filled } from '../request-body.ts';
import type { Action, FormField, Resource, Values } from '../resource.ts';
import { ResourcePage } from '../resource-page.tsx';
import { ADMIN } from '../texts.ts';

const T = OPERATION_TEXTS.prompts;
const PATH = '/api/v1/admin/prompts';

const pathOf = (id: string) => `${PATH}/${encodeURIComponent(id)}`;

const collectionFields = (collection?: PromptCollection): readonly FormField[] => [
  { name: 'name', label: T.name, isRequired: true, maxLength: 200, value: collection?.name ?? '' },
  {
    name: 'industry',
    label: T.industry,
    isRequired: true,
    maxLength: 100,
    hint: T.industryHint,
    value: collection?.industry ?? '',
  },
  {
    name: 'description',
    label: T.description,
    kind: 'multiline',
    maxLength: 2_000,
    value: collection?.description ?? '',
  },
];

const collectionOf = (values: Values) => ({
  ...filled(values, ['name', 'industry']),
  ...cleared(values, ['description']),
});

const questionFields = (item?: PromptItem): readonly FormField[] => [
  {
    name: 'question',
    label: T.question,
    kind: 'multiline',
    isRequired: true,
    maxLength: 2_000,
    value: item?.question ?? '',
  },
  { name: 'category', label: T.category, maxLength: 100, value: item?.category ?? '' },
  { name: 'description', label: T.description, maxLength: 1_000, value: item?.description ?? '' },
];

const questionOf = (values: Values) => ({
  ...filled(values, ['question']),
  ...cleared(values, ['category', 'description']),
});

interface Identified {
  readonly id: string;
}

/** Up and down, as far as there is room; the server takes the ids of all in their new order. */
function movesOf(all: readonly Identified[], { id }: Identified, path: string): readonly Action[] {
  const ids = all.map((one) => one.id);
  const at = ids.indexOf(id);
  const moveTo = (to: number, label: string): readonly Action[] =>
    to < 0 || to >= ids.length
      ? []
      : [
          {
            label,
            isImmediate: true,
            command: () => ({
              path,
              method: 'PUT',
              body: { ids: ids.toSpliced(at, 1).toSpliced(to, 0, id) },
            }),
          },
        ];
  return [...moveTo(at - 1, T.moveUp), ...moveTo(at + 1, T.moveDown)];
}

function questionActions(collection: PromptCollectionWithItems, item: PromptItem): readonly Action[] {
  const items = `${pathOf(collection.id)}/items`;
  const path = `${items}/${encodeURIComponent(item.id)}`;
  return [
    {
      label: ADMIN.save,
      menuLabel: ADMIN.edit,
      title: `${ADMIN.edit}: ${item.question}`,
      fields: questionFields(item),
      command: (values) => ({ path, method: 'PUT', body: questionOf(values) }),
    },
    ...movesOf(collection.items, item, `${items}/order`),
    {
      label: ADMIN.delete,
      title: T.deleteTitle,
      text: T.deleteQuestion(item.question),
      isDanger: true,
      command: () => ({ path, method: 'DELETE' }),
    },
  ];
}

const addQuestion = ({ id }: PromptCollection): Action => ({
  label: T.add,
  menuLabel: T.addQuestion,
  title: T.addQuestion,
  fields: questionFields(),
  command: (values) => ({ path: `${pathOf(id)}/items`, method: 'POST', body: questionOf(values) }),
});

interface QuestionsProps {
  readonly id: string;
  readonly start: (action: Action) => void;
}

function Questions({ id, start }: QuestionsProps): ReactNode {
  const path = pathOf(id);
  const { data, error, refetch } = useQuery({
    queryKey: [ADMIN_KEY, path],
    queryFn: ({ signal }) => call<PromptCollectionWithItems>(path, { signal }),
  });
  if (error !== null) return <Alert error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  const { name, description, isBuiltin, items } = data;
  const label = T.questions(name);
  return (
    <>
      {description !== null && (
        <p>
          <Text>{description}</Text>
        </p>
      )}
      {items.length === 0 && <p>{T.noQuestions}</p>}
      {items.length > 0 && (
        <table className={styles.table} aria-label={label}>
          <thead>
            <tr>
              <th scope="col">{T.question}</th>
              <th scope="col">{T.category}</th>
              <th scope="col">{T.description}</th>
              {!isBuiltin && (
                <th scope="col">
                  <span className="visually-hidden">{ADMIN.commands}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <tr key={item.id}>
                <td>
                  <Text>{item.question}</Text>
                </td>
                <td>
                  <Text>{item.category}</Text>
                </td>
                <td>
                  <Text>{item.description}</Text>
                </td>
                {!isBuiltin && (
                  <td className={styles.commands}>
                    <ActionMenu name={item.question} actions={questionActions(data, item)} start={start} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {!isBuiltin && (
        <p className={styles.section}>
          <button type="button" onClick={() => start(addQuestion(data))}>
            {T.addQuestion}
          </button>
        </p>
      )}
    </>
  );
}

function collectionActions(collection: PromptCollection, all: readonly PromptCollection[]): readonly Action[] {
  const { id, name, isBuiltin } = collection;
  if (isBuiltin) return [];
  const path = pathOf(id);
  const own = all.filter((one) => !one.isBuiltin);
  return [
    addQuestion(collection),
    {
      label: ADMIN.save,
      menuLabel: ADMIN.edit,
      title: `${ADMIN.edit}: ${name}`,
      fields: collectionFields(collection),
      command: (values) => ({ path, method: 'PUT', body: collectionOf(values) }),
    },
    ...movesOf(own, collection, `${PATH}/order`),
    { label: ADMIN.delete, text: T.deleteText(name), isDanger: true, command: () => ({ path, method: 'DELETE' }) },
  ];
}

const PROMPTS: Resource<PromptCollection> = {
  title: ADMIN.areas.prompts,
  intro: T.intro,
  path: PATH,
  key: 'collections',
  // As many as the server takes in one order.
  query: { limit: '200' },
  columns: [
    { label: T.name, cell: ({ name }) => <Text>{name}</Text> },
    { label: T.industry, cell: ({ industry }) => <Text>{industry}</Text> },
    { label: T.from, cell: ({ isBuiltin }) => (isBuiltin ? T.builtIn : T.own) },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ id }) => id,
  create: {
    label: ADMIN.create,
    title: T.createTitle,
    fields: collectionFields(),
    command: (values) => ({ path: PATH, method: 'POST', body: collectionOf(values) }),
  },
  actionsOf: collectionActions,
  detail: ({ id }, start) => <Questions id={id} start={start} />,
  empty: T.empty,
};

export function PromptsPage(): ReactNode {
  return <ResourcePage resource={PROMPTS} />;
}
