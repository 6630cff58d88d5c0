/** Tells the model the company's calendar: today's date, the fiscal year and its quarters, and the holidays. */
import { contextCollect, definePlugin } from 'atlas-query';
import { calendarText } from './calendar.ts';
import { Options } from './options.ts';

export const templateContext = definePlugin({
  name: 'template-context',
  version: '0.1.0',
  type: 'context',
  description: "Tells the model the company's fiscal year and holidays.",
  options: Options,
  setup(ctx, options) {
    // `trusted`: it comes from the configuration. The text is the same for all questions of a day, which keeps the
    // model's prompt cache warm; what depends on the question would carry `perQuestion: true`.
    ctx.tap(contextCollect, () => [
      { title: 'Company calendar', text: calendarText(new Date(ctx.now()), options), trusted: true },
    ]);
  },
});
