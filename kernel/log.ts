/** Adds the origin of a log line, such as plugin and request, without every call naming it again. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const SILENT: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} });

/** A logger whose lines carry `origin`, asked for when a line is written; a line's own fields go before it. */
export function logFrom(log: Logger, origin: () => object): Logger {
  const at = (level: keyof Logger) => (fields: object, message: string) =>
    log[level]({ ...origin(), ...fields }, message);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
