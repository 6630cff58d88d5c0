/** Collects the types of actions of the composition, and checks them. */
import { AtlasError, didYouMean, type PluginContext } from '../../kernel/index.ts';
import { type ActionType, actionTypes } from './hooks.ts';
import type { ActionsOptions } from './options.ts';
import { toolNameOf } from './tools.ts';

const TYPE = /^[a-z][a-z0-9-]{0,63}$/;
const TOOL = /^[A-Za-z][\w-]{0,63}$/;

const fault = (message: string, hint: string) =>
  new AtlasError(message, { code: 'configuration_error', reason: 'E_ACTION_TYPES', hint });

/** By name. Throws for names that are not valid, and for modes of types that no plugin brings. */
export async function collectTypes(
  ctx: Pick<PluginContext, 'call' | 'scope'>,
  { approval }: ActionsOptions,
): Promise<Map<string, ActionType>> {
  const types = new Map<string, ActionType>();
  for (const { plugin, value } of await ctx.call(actionTypes, undefined, ctx.scope())) {
    const tool = toolNameOf(value);
    if (!TYPE.test(value.type) || (tool !== undefined && !TOOL.test(tool))) {
      throw fault(
        `Plugin "${plugin}" brings a type of action with an invalid name: "${value.type}".`,
        'Name it with small letters, digits and hyphens, and its tool with letters, digits, _ and -.',
      );
    }
    types.set(value.type, value);
  }
  for (const name of Object.keys(approval)) {
    if (types.has(name)) continue;
    const known = [...types.keys()];
    throw fault(
      `The option "approval" names the type of action "${name}", which no plugin brings${didYouMean(name, known) || '.'}`,
      `Types: ${known.join(', ') || 'none'}.`,
    );
  }
  return types;
}
