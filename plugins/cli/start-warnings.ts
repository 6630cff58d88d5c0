/** Warns right after the start of what keeps questions from being answered. */
import { type App, type CliRun, datasourceList, healthCheck, type Logger } from '../../kernel/index.ts';
import { withoutCredentials } from '../redaction-kit/index.ts';
import { printableText } from './render.ts';

/** On a terminal as a line of text, else as a line of the log, so that what collects standard error reads one format. */
export function warn({ stderr }: Pick<CliRun, 'stderr'>, log: Logger | undefined, text: string): void {
  if (stderr.isTTY === true || log === undefined) stderr.write(`Warning: ${printableText(withoutCredentials(text))}\n`);
  else log.warn({}, text);
}

/** Warns in the words of the health report, once the databases have been looked at. */
export async function warnOfFaults(run: CliRun, app: App): Promise<void> {
  const tell = (text: string) => warn(run, app.log, text);
  const scope = app.scope({ signal: run.signal });
  const sources = await app.call(datasourceList, undefined, scope);
  if (sources.length === 0) tell('There is no database to ask; set SVC_DATASOURCE_URL, such as sqlite:shop.db.');
  for (const { value } of await app.call(healthCheck, undefined, scope)) {
    const { component, id, status, message } = value;
    // The layer logs its own faults, whenever they come.
    if (component === 'semanticLayer') continue;
    const isFault = status === 'error' || status === 'degraded' || status === 'not_configured';
    if (isFault && message !== undefined) tell(`${id === undefined ? component : `${component} "${id}"`}: ${message}`);
  }
}
