/** Refuses every statement outside business hours. */
import { AtlasError, definePlugin, sqlCheck, Type } from 'atlas-query';

export const businessHours = definePlugin({
  name: 'business-hours',
  version: '1.0.0',
  type: 'policy',
  description: 'Refuses statements outside business hours.',
  options: Type.Object(
    {
      from: Type.Integer({ default: 8, minimum: 0, maximum: 23, description: 'first hour, UTC' }),
      to: Type.Integer({ default: 18, minimum: 1, maximum: 24, description: 'hour after the last, UTC' }),
    },
    { additionalProperties: false },
  ),
  setup(ctx, options) {
    ctx.tap(sqlCheck, () => {
      const hour = new Date(ctx.now()).getUTCHours();
      if (hour >= options.from && hour < options.to) return;
      throw new AtlasError('The database is closed at this hour.', {
        code: 'forbidden',
        hint: `Ask between ${options.from}:00 and ${options.to}:00 UTC.`,
      });
    });
  },
});
