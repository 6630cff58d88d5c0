/** Keeps the APIs of the plugins of one app, each under its plugin's name. */
import 'reflect-metadata';
import { container, type DependencyContainer } from 'tsyringe';
import type { Needs, OptionalRef, PluginRef, Resolved } from './define-plugin.ts';

/** Replaces a plugin by a ready-made API: its setup never runs. For tests. */
export interface Override<A = unknown> {
  readonly ref: PluginRef<A>;
  readonly api: A;
}

export const override = <A>(ref: PluginRef<A>, api: A): Override<A> => ({ ref, api });

export const refOf = (need: PluginRef | OptionalRef): PluginRef => ('optional' in need ? need.optional : need);

export class Services {
  /** A child of the library's global container, which stays empty: two apps in one process share nothing. */
  readonly #container: DependencyContainer = container.createChildContainer();

  provide(plugin: string, api: unknown): void {
    this.#container.register(plugin, { useFactory: () => api });
  }

  /** `undefined` for a plugin that is not here or has no API. */
  get<A>({ pluginName }: PluginRef<A>): A | undefined {
    return this.#container.isRegistered(pluginName) ? this.#container.resolve<A>(pluginName) : undefined;
  }

  /** The APIs of a plugin's needs, by the names that it gave them. */
  resolve<N extends Needs>(needs: N): Resolved<N> {
    const apis = Object.entries(needs).map(([name, need]) => [name, this.get(refOf(need))]);
    return Object.fromEntries(apis) as Resolved<N>;
  }
}
