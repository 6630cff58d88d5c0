/** Declares the provider of this plugin. */
export const OFFLINE = { name: 'offline' } as const;
