/** Where log lines go, and what a line says of its origin without every call saying it again. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const SILENT: Logger = Object.freeze({ debug() {}, info() {}, warn() {}, error() {} });

/** A logger whose lines carry `origin`, asked for when a line is written; a line's own fields go before it. */
export function logFrom(log: Logger, origin: () => object): Logger {
  return new OriginLogger(log, origin);
}

class OriginLogger implements Logger {
  readonly #log: Logger;
  readonly #origin: () => object;

  constructor(log: Logger, origin: () => object) {
    this.#log = log;
    this.#origin = origin;
  }

  debug(fields: object, message: string): void {
    this.#log.debug({ ...this.#origin(), ...fields }, message);
  }

  info(fields: object, message: string): void {
    this.#log.info({ ...this.#origin(), ...fields }, message);
  }

  warn(fields: object, message: string): void {
    this.#log.warn({ ...this.#origin(), ...fields }, message);
  }

  error(fields: object, message: string): void {
    this.#log.error({ ...this.#origin(), ...fields }, message);
  }
}
