/** Lists the types of plugins that can be created: one folder of `templates/` each. */
export const PLUGIN_TYPES = ['datasource', 'context', 'interaction', 'action', 'sandbox'] as const;
export type CreatedType = (typeof PLUGIN_TYPES)[number];
