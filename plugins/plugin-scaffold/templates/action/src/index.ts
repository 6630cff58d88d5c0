/** Brings the action of adding a note to a system of the company, which people approve before it happens. */
import { definePlugin, optional } from 'atlas-query';
import { actions, defineAction } from 'atlas-query/plugins/actions';
import { outbound } from 'atlas-query/plugins/outbound';
import { Note, summaryOf } from './note.ts';
import { Options } from './options.ts';
import { sendNote } from './send-note.ts';

export const templateAction = definePlugin({
  name: 'template-action',
  version: '0.1.0',
  type: 'action',
  description: 'Adds notes to a system of the company.',
  needs: { outbound, actions: optional(actions) },
  options: Options,
  setup(ctx, { url }, needs) {
    if (needs.actions === undefined) {
      ctx.log.warn({}, 'No note can be added: add actions() to atlas.config.ts.');
      return;
    }
    defineAction(ctx, {
      type: 'template-action',
      description: 'Adds a note to the notes of the company. Use it only when the user asks for a note.',
      input: Note,
      approval: 'manual',
      reversible: false,
      describe: ({ text }) => ({ target: 'notes', summary: summaryOf(text) }),
      run: (note, { key, scope }) => sendNote(needs.outbound, { url, note, key, signal: scope.signal }),
    });
  },
});
