/** Defines the hook by which chat platforms are registered whose bots organizations bring. */
import { collect } from '../../kernel/index.ts';
import type { ChatPlatform } from './chat-platform.ts';

export const chatPlatforms = collect<undefined, ChatPlatform>('chat.platforms', {
  summary: 'Chat platforms for which an organization can bring its own bot.',
});
