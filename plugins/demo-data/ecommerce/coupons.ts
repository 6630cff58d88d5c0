/** Lists the coupons of the promotions, and tells which one an order used. */
import { DAY_MS } from '../time.ts';
import { PROMOTIONS } from './catalogue.ts';
import type { Order } from './order.ts';

/** A few coupons for each promotion that needs one. */
export const COUPONS = PROMOTIONS.flatMap(([name, , , start, days, needsCoupon], promotion) =>
  needsCoupon
    ? Array.from({ length: 6 }, (_, index) => ({
        promotion: promotion + 1,
        code: `${name.replace(/[^A-Za-z0-9]/g, '').toUpperCase()}-${index + 1}`,
        endsAt: Date.parse(start) + days * DAY_MS,
      }))
    : [],
).map((coupon, index) => ({ id: index + 1, ...coupon }));

export function couponOf({ id, promotion, hasCoupon }: Order): number | null {
  const own = hasCoupon ? COUPONS.filter((coupon) => coupon.promotion === promotion) : [];
  return own[Math.floor(id / 3) % Math.max(1, own.length)]?.id ?? null;
}
