/** Shows which model answers the organization's questions, and chooses, tries and removes one. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ModelTestResult, ShownModelConfig } from '../../../../admin-model/index.ts';
import { call } from '../../api/client.ts';
import { ADMIN_KEY, type Me } from '../../api/queries.ts';
import { milliseconds } from '../../counted.ts';
import { Alert } from '../../ui/alert.tsx';
import { useHeadingFocus } from '../../ui/heading-focus.ts';
import { Loading } from '../../ui/loading.tsx';
import { usePageTitle } from '../../ui/page-title.ts';
import { Time } from '../../ui/time.tsx';
import styles from '../admin.module.css';
import { OPERATION_TEXTS } from '../operation-texts.ts';
import { type Fact, Facts, Text } from '../parts.tsx';
import { cleared, filled } from '../request-body.ts';
import type { Action, FormField, Values } from '../resource.ts';
import { ADMIN } from '../texts.ts';
import { useActions } from '../use-actions.tsx';

const T = OPERATION_TEXTS.model;
const PATH = '/api/v1/admin/model-config';

function fieldsOf({ config, providers }: ShownModelConfig): readonly FormField[] {
  const stored = config?.apiKeyMasked ?? undefined;
  const needsOf = (values: Values) => providers.find(({ name }) => name === values.provider);
  return [
    {
      name: 'provider',
      label: T.provider,
      value: config?.provider ?? providers[0]?.name ?? '',
      options: providers.map(({ name }) => ({ value: name, label: name })),
    },
    { name: 'model', label: T.model, isRequired: true, maxLength: 200, hint: T.modelHint, value: config?.model ?? '' },
    {
      name: 'baseUrl',
      label: T.baseUrl,
      maxLength: 2_048,
      hint: T.baseUrlHint,
      value: config?.baseUrl ?? '',
      explain: (values) => needsOf(values)?.baseUrl === 'required' && <p>{T.needsAddress}</p>,
    },
    {
      name: 'apiKey',
      label: T.key,
      kind: 'password',
      maxLength: 4_096,
      hint: stored === undefined ? T.keyHint : T.keepKeyHint,
      explain(values) {
        const needs = needsOf(values);
        return needs !== undefined && <p>{T.needs[needs.apiKey]}</p>;
      },
    },
    ...(stored === undefined ? [] : [storedKeyField(stored)]),
  ];
}

const storedKeyField = (masked: string): FormField => ({
  name: 'storedKey',
  label: `${T.storedKey} ${masked}`,
  value: 'keep',
  options: [
    { value: 'keep', label: T.keepKey },
    { value: 'remove', label: T.removeKey },
  ],
});

const bodyOf = (values: Values) => ({
  ...filled(values, ['provider', 'model']),
  ...cleared(values, ['baseUrl']),
  ...(values.storedKey === 'remove' && { apiKey: null }),
  ...filled(values, ['apiKey']),
});

function Tested({ result }: { readonly result: ModelTestResult }): ReactNode {
  const { provider, model, latencyMs } = result;
  return <Text>{T.tested(`${provider} ${model}`, milliseconds(latencyMs))}</Text>;
}

const tested = (result: unknown) => <Tested result={result as ModelTestResult} />;

function actionsOf(shown: ShownModelConfig): readonly Action[] {
  const { config } = shown;
  const fields = fieldsOf(shown);
  const choose: Action = {
    label: ADMIN.save,
    menuLabel: config === null ? T.choose : T.change,
    title: T.choose,
    text: T.chooseText,
    fields,
    command: (values) => ({ path: PATH, method: 'PUT', body: bodyOf(values) }),
    done: () => T.saved,
  };
  const tryOne: Action = {
    label: T.tryLabel,
    menuLabel: T.try,
    title: T.try,
    text: T.tryText,
    fields,
    command: (values) => ({ path: `${PATH}/test`, method: 'POST', body: bodyOf(values) }),
    done: tested,
  };
  if (config === null) return [choose, tryOne];
  return [
    choose,
    {
      label: T.test,
      isImmediate: true,
      command: () => ({ path: `${PATH}/test`, method: 'POST', body: {} }),
      done: tested,
    },
    tryOne,
    {
      label: T.remove,
      title: T.removeTitle,
      text: T.removeText,
      isDanger: true,
      command: () => ({ path: PATH, method: 'DELETE' }),
      done: () => T.removed,
    },
  ];
}

function answering({ model }: Me): string {
  const answers = model as Me['model'] | null;
  if (answers === null) return T.nobody;
  return answers.isOffline ? T.offline : `${answers.provider} ${answers.modelId}`;
}

function factsOf({ config }: ShownModelConfig, me: Me): readonly Fact[] {
  const now: Fact = { label: T.answering, value: <Text>{answering(me)}</Text> };
  if (config === null) return [now, { label: T.chosen, value: T.byServer }];
  const { provider, model, baseUrl, apiKeyMasked, updatedAt } = config;
  return [
    now,
    { label: T.chosen, value: T.byAdministrator },
    { label: T.provider, value: <Text>{provider}</Text> },
    { label: T.model, value: <Text>{model}</Text> },
    { label: T.baseUrl, value: <Text>{baseUrl ?? T.ownAddress}</Text> },
    { label: T.key, value: <Text>{apiKeyMasked ?? T.noKey}</Text> },
    { label: T.changed, value: <Time at={updatedAt} /> },
  ];
}

export function ModelPage({ me }: { readonly me: Me }): ReactNode {
  usePageTitle(ADMIN.areas.model);
  const { start, outcome } = useActions();
  const { data, error, refetch } = useQuery({
    queryKey: [ADMIN_KEY, PATH],
    queryFn: ({ signal }) => call<ShownModelConfig>(PATH, { signal }),
  });
  const heading = useHeadingFocus(data);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {ADMIN.areas.model}
      </h1>
      <p className={styles.intro}>{T.intro}</p>
      {outcome}
      {error !== null && <Alert error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (
        <>
          <section className={`${styles.section} ${styles.facts}`} aria-label={ADMIN.areas.model}>
            <Facts facts={factsOf(data, me)} />
          </section>
          <div className={`${styles.section} ${styles.filters}`}>
            {actionsOf(data).map((action, at) => (
              <button
                key={action.menuLabel ?? action.label}
                type="button"
                data-kind={at === 0 ? 'primary' : undefined}
                onClick={() => start(action)}
              >
                {action.menuLabel ?? action.label}
              </button>
            ))}
          </div>
        </>
      )}
    </>
  );
}
