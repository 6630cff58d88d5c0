/** Explains the composition: which plugins run, what each needs and is needed by, and the hooks in their order. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { PluginHealth, PluginList } from '../../../../admin-plugins/index.ts';
import { call } from '../../api/client.ts';
import { ADMIN_KEY } from '../../api/queries.ts';
import { milliseconds } from '../../counted.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import styles from '../admin.module.css';
import { Facts, State, Text } from '../parts.tsx';
import { lineOf, lossesOf, placesOf } from '../plugin-part.ts';
import type { Resource } from '../resource.ts';
import { ResourcePage } from '../resource-page.tsx';
import { ADMIN } from '../texts.ts';

type InstalledPlugin = PluginList['plugins'][number];

const T = ADMIN.plugins;
const PATH = '/api/v1/admin/plugins';

/** The same answer as the list's, asked once. */
const useComposition = () =>
  useQuery({ queryKey: [ADMIN_KEY, PATH, ''], queryFn: ({ signal }) => call<PluginList>(PATH, { signal }) });

function TextList({ texts }: { readonly texts: readonly string[] }): ReactNode {
  if (texts.length === 0) return ADMIN.none;
  return (
    <ul>
      {texts.map((text) => (
        <li key={text}>
          <Text>{text}</Text>
        </li>
      ))}
    </ul>
  );
}

function Line({ plugin }: { readonly plugin: string }): ReactNode {
  const line = lineOf(plugin);
  return (
    <span className={styles.export}>
      <code>
        <Text>{line}</Text>
      </code>
      <CopyButton label={T.copyLine} text={line} />
    </span>
  );
}

function PluginDetail({ plugin: { name, needs } }: { readonly plugin: InstalledPlugin }): ReactNode {
  const { data } = useComposition();
  const dependants = data?.plugins.filter((other) => other.needs.includes(name)).map((other) => other.name) ?? [];
  const hooks = data?.hooks ?? [];
  return (
    <Facts
      facts={[
        { label: T.line, value: <Line plugin={name} /> },
        { label: T.needs, value: <Text>{needs.join(', ')}</Text> },
        { label: T.neededBy, value: <Text>{dependants.join(', ')}</Text> },
        { label: T.taps, value: <TextList texts={placesOf(name, hooks)} /> },
        { label: T.without, value: <TextList texts={lossesOf(name, hooks)} /> },
      ]}
    />
  );
}

function HookList(): ReactNode {
  const { data } = useComposition();
  const tapped = data?.hooks.filter(({ taps }) => taps.length > 0) ?? [];
  return (
    <section className={styles.section}>
      <h2>{T.hooks}</h2>
      <p className={styles.intro}>{T.hooksIntro}</p>
      {tapped.map(({ id, kind, gate, summary, taps }) => (
        <details key={id}>
          <summary>
            <Text>{id}</Text> {T.kind(kind, gate, taps.length)}
          </summary>
          <p>
            <Text>{summary}</Text>
          </p>
          <ol>
            {taps.map(({ plugin, key }) => (
              <li key={`${plugin} ${key}`}>
                <Text>{key === undefined ? plugin : `${plugin} (${key})`}</Text>
              </li>
            ))}
          </ol>
        </details>
      ))}
    </section>
  );
}

function CheckedHealth({ result }: { readonly result: PluginHealth }): ReactNode {
  const { id, healthy, status, message, latencyMs } = result;
  return <State isBad={!healthy}>{`${id}: ${status}, ${milliseconds(latencyMs)}. ${message ?? ''}`.trim()}</State>;
}

const PLUGINS: Resource<InstalledPlugin> = {
  title: ADMIN.areas.plugins,
  intro: T.intro,
  path: PATH,
  key: 'plugins',
  columns: [
    { label: T.name, cell: ({ name, version }) => <Text>{`${name} ${version}`}</Text> },
    { label: T.type, cell: ({ type }) => <Text>{type}</Text> },
    { label: T.does, cell: ({ description }) => <Text>{description}</Text> },
    { label: T.state, cell: ({ status }) => <State isBad={status !== 'ready'}>{status}</State> },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ id }) => id,
  actionsOf: ({ id }) => [
    {
      label: T.check,
      isImmediate: true,
      command: () => ({ path: `${PATH}/${encodeURIComponent(id)}/health`, method: 'POST' }),
      done: (result) => <CheckedHealth result={result as PluginHealth} />,
    },
  ],
  detail: (plugin) => <PluginDetail plugin={plugin} />,
  empty: ADMIN.none,
};

export function PluginsPage(): ReactNode {
  return (
    <>
      <ResourcePage resource={PLUGINS} />
      <HookList />
    </>
  );
}
