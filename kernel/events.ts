/** Carries facts already past between plugins. A listener can neither delay nor change them; its errors are logged. */
import { EventEmitter } from 'eventemitter3';
import { messagesOf } from './errors.ts';
import type { Logger } from './log.ts';

declare const payload: unique symbol;

export interface EventType<T> {
  /** `noun:past`, such as `app:ready`. */
  readonly id: string;
  /** Never set: carries the type. */
  readonly [payload]?: T;
}

export const defineEvent = <T>(id: string): EventType<T> => Object.freeze({ id });

export const appReady = defineEvent<{ readonly bootMs: number }>('app:ready');
export const appClosed = defineEvent<{ readonly errors: number }>('app:closed');

export class Bus {
  readonly #emitter = new EventEmitter();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  on<T>(plugin: string, event: EventType<T>, listener: (value: T) => void): void {
    const report = (error: unknown) =>
      this.#log.error({ plugin, event: event.id, error: messagesOf(error) }, 'An event listener failed.');
    this.#emitter.on(event.id, (value: T) => {
      new Promise((resolve) => resolve(listener(value))).catch(report);
    });
  }

  hasListeners<T>(event: EventType<T>): boolean {
    return this.#emitter.listenerCount(event.id) > 0;
  }

  emit<T>(event: EventType<T>, value: T): void {
    this.#emitter.emit(event.id, value);
  }
}
