/** Keeps zod, which the chat client brings, from probing whether it may compile code: the page's policy reports that. */
import { config } from 'zod/v4/core';

config({ jitless: true });
