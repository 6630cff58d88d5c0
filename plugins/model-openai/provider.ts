/** Declares the providers of this plugin, with the options that make it one. */
export const OPENAI = { name: 'openai', options: { provider: 'openai' } } as const;
export const OPENAI_COMPATIBLE = { name: 'openai-compatible', options: { provider: 'openai-compatible' } } as const;
