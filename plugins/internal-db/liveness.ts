/** Pings the internal database twice a second and rejects waiting calls once it stops answering. */
import { type Logger, messageOf } from '../../kernel/index.ts';
import type { Engine } from './engine.ts';
import { unavailable } from './errors.ts';

const TICK_MS = 500;
/** Far more calls than a server answers at a time; each holds a request in memory. */
const MAX_CALLS = 5_000;

export class Liveness {
  readonly #engine: Engine;
  readonly #log: Logger;
  readonly #calls = new Set<(error: unknown) => void>();
  #ticks: NodeJS.Timeout | undefined;
  #isAsking = false;
  /** Ticks since the last answer; those of a process that was held up itself count as one. */
  #silentTicks = 0;
  #lost = false;
  #verdict: PromiseWithResolvers<void> | undefined;

  constructor(engine: Engine, log: Logger) {
    this.#engine = engine;
    this.#log = log;
  }

  start(): void {
    this.#ticks ??= setInterval(() => this.#tick(), TICK_MS).unref();
    // How far the clock of the database is ahead should be known before the first request.
    this.#tick();
  }

  stop(): void {
    clearInterval(this.#ticks);
    this.#answered();
  }

  /** Settles like `work`; rejects with `unavailable` as soon as the database is known not to answer. */
  call<T>(work: () => Promise<T>): Promise<T> {
    if (this.#lost) return Promise.reject(silent());
    if (this.#calls.size >= MAX_CALLS) return Promise.reject(unavailable('too many calls wait for it'));
    return new Promise<T>((resolve, reject) => {
      this.#calls.add(reject);
      work()
        .finally(() => this.#calls.delete(reject))
        .then(resolve, reject);
    });
  }

  /** `undefined` while the database answers. In doubt a promise, which rejects with `unavailable` if it does not. */
  check(): Promise<void> | undefined {
    if (!this.#lost && this.#silentTicks < 2) return undefined;
    return this.#decided();
  }

  async #decided(): Promise<void> {
    if (!this.#lost) {
      this.#verdict ??= Promise.withResolvers();
      await this.#verdict.promise;
    }
    if (this.#lost) throw silent();
  }

  #tick(): void {
    if (this.#engine.isMigrating) {
      this.#answered();
      return;
    }
    this.#silentTicks += 1;
    if (!this.#lost && this.#silentTicks * TICK_MS > this.#engine.silenceMs) this.#lose();
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#engine
      .answers()
      .then((answers) => {
        if (answers) this.#answered();
      })
      .catch((error: unknown) => this.#log.debug({ error: messageOf(error) }, 'The database could not be asked.'))
      .finally(() => {
        this.#isAsking = false;
      });
  }

  #lose(): void {
    this.#lost = true;
    this.#log.error({}, 'The internal database does not answer; what needs it is refused until it does.');
    for (const reject of this.#calls) reject(silent());
    this.#calls.clear();
    this.#engine.abandon();
    this.#decide();
  }

  #answered(): void {
    if (this.#lost) this.#log.info({}, 'The internal database answers again.');
    this.#lost = false;
    this.#silentTicks = 0;
    this.#decide();
  }

  #decide(): void {
    this.#verdict?.resolve();
    this.#verdict = undefined;
  }
}

const silent = () => unavailable('it does not answer');
