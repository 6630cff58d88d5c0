/** The APIs of plugins, in one container an app; a plugin resolves only what it named in `needs`. */
import 'reflect-metadata';
import { container, type DependencyContainer } from 'tsyringe';
import type { Needs, OptionalRef, PluginRef, Resolved } from './define-plugin.ts';

/** Replaces a plugin by a ready-made API: its setup never runs. For tests. */
export interface Override<A = unknown> {
  readonly ref: PluginRef<A>;
  readonly api: A;
}

export function override<A>(ref: PluginRef<A>, api: A): Override<A> {
  return { ref, api };
}

export function refOf(need: PluginRef | OptionalRef): PluginRef {
  return 'optional' in need ? need.optional : need;
}

export class Services {
  readonly #root: DependencyContainer = container.createChildContainer();

  provide(plugin: string, api: unknown): void {
    this.#root.register(plugin, { useFactory: () => api });
  }

  get<A>(ref: PluginRef<A>): A | undefined {
    return this.#root.isRegistered(ref.pluginName) ? this.#root.resolve<A>(ref.pluginName) : undefined;
  }

  /** The needs of one plugin through a container of its own, so that nothing else is in reach. */
  resolve<N extends Needs>(needs: N): Resolved<N> {
    const child = this.#root.createChildContainer();
    const resolved: Record<string, unknown> = {};
    for (const [name, need] of Object.entries(needs)) {
      const token = refOf(need).pluginName;
      resolved[name] = child.isRegistered(token, true) ? child.resolve(token) : undefined;
    }
    return resolved as Resolved<N>;
  }
}
