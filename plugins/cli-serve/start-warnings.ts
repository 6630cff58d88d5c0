/** Says on the terminal, right after the start, what keeps questions from being answered. */
import { type App, type CliRun, datasourceList, healthCheck, type PluginRef } from '../../kernel/index.ts';
import { printableText } from '../cli/index.ts';

/** The part of the `semantic-layer` plugin's API that is needed here. */
const semanticLayer: PluginRef<{ ready(): Promise<void>; fault(): string | undefined }> = {
  pluginName: 'semantic-layer',
};

/** Warns in the words of the health report, of the semantic layer with names, once the semantic layer and the databases have been looked at. */
export async function warnOfFaults(run: CliRun, app: App): Promise<void> {
  const warn = (text: string) => void run.stderr.write(`Warning: ${printableText(text)}\n`);
  const scope = app.scope({ signal: run.signal });
  const hasLayer = app.describe().plugins.some(({ name }) => name === semanticLayer.pluginName);
  const layer = hasLayer ? app.get(semanticLayer) : undefined;
  await layer?.ready();
  const sources = await app.call(datasourceList, undefined, scope);
  if (sources.length === 0) warn('There is no database to ask; set SVC_DATASOURCE_URL, such as sqlite:shop.db.');
  for (const { value } of await app.call(healthCheck, undefined, scope)) {
    const { component, id, status, message } = value;
    const isFault = status === 'error' || status === 'degraded' || status === 'not_configured';
    // Health is for everybody and names nothing of the layer; who starts the server may know.
    const text = (component === 'semanticLayer' ? layer?.fault() : undefined) ?? message;
    if (isFault && text !== undefined) warn(`${id === undefined ? component : `${component} "${id}"`}: ${text}`);
  }
}
