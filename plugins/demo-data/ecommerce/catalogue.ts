/** Lists the fixed facts of the shop: countries, categories with their products, brands, codes. */
import { type Weighted, weigh } from '../random.ts';

export interface Country {
  readonly code: string;
  readonly name: string;
  readonly region: string;
  readonly currency: string;
  readonly isEu: boolean;
  /** Sales tax or value added tax. */
  readonly taxPercent: number;
  readonly cities: readonly string[];
}

type CountryLine = [
  code: string,
  name: string,
  region: string,
  currency: string,
  isEu: 0 | 1,
  tax: number,
  weight: number,
  cities: string,
];

const COUNTRY_LINES: readonly CountryLine[] = [
  ['US', 'United States', 'North America', 'USD', 0, 7.25, 34, 'New York,Chicago,Austin,Seattle,Denver'],
  ['CA', 'Canada', 'North America', 'CAD', 0, 13, 7, 'Toronto,Montreal,Vancouver'],
  ['GB', 'United Kingdom', 'Europe', 'GBP', 0, 20, 13, 'London,Manchester,Leeds,Bristol'],
  ['DE', 'Germany', 'Europe', 'EUR', 1, 19, 14, 'Berlin,Hamburg,Munich,Cologne'],
  ['FR', 'France', 'Europe', 'EUR', 1, 20, 8, 'Paris,Lyon,Marseille'],
  ['AT', 'Austria', 'Europe', 'EUR', 1, 20, 3, 'Vienna,Graz,Linz'],
  ['NL', 'Netherlands', 'Europe', 'EUR', 1, 21, 4, 'Amsterdam,Rotterdam,Utrecht'],
  ['ES', 'Spain', 'Europe', 'EUR', 1, 21, 4, 'Madrid,Barcelona,Valencia'],
  ['CH', 'Switzerland', 'Europe', 'CHF', 0, 8.1, 3, 'Zurich,Geneva,Basel'],
  ['SE', 'Sweden', 'Europe', 'SEK', 1, 25, 2, 'Stockholm,Gothenburg'],
  ['AU', 'Australia', 'Asia Pacific', 'AUD', 0, 10, 5, 'Sydney,Melbourne,Perth'],
  ['JP', 'Japan', 'Asia Pacific', 'JPY', 0, 10, 3, 'Tokyo,Osaka'],
];

export const COUNTRIES: Weighted<Country> = weigh(
  COUNTRY_LINES.map(([code, name, region, currency, isEu, taxPercent, weight, cities]) => [
    { code, name, region, currency, isEu: isEu === 1, taxPercent, cities: cities.split(',') },
    weight,
  ]),
);

/** US dollars for one unit in November 2024. */
export const CURRENCIES: Readonly<Record<string, { name: string; symbol: string; decimals: number; usd: number }>> = {
  USD: { name: 'US dollar', symbol: '$', decimals: 2, usd: 1 },
  EUR: { name: 'Euro', symbol: '€', decimals: 2, usd: 1.08 },
  GBP: { name: 'Pound sterling', symbol: '£', decimals: 2, usd: 1.27 },
  CAD: { name: 'Canadian dollar', symbol: 'C$', decimals: 2, usd: 0.72 },
  CHF: { name: 'Swiss franc', symbol: 'CHF', decimals: 2, usd: 1.14 },
  SEK: { name: 'Swedish krona', symbol: 'kr', decimals: 2, usd: 0.095 },
  AUD: { name: 'Australian dollar', symbol: 'A$', decimals: 2, usd: 0.66 },
  JPY: { name: 'Japanese yen', symbol: '¥', decimals: 0, usd: 0.0066 },
};

/** Top category, category, names of products, price in dollars from and to, whether its variants are sizes. */
const CATEGORY_LINES: readonly [top: string, name: string, nouns: string, low: number, high: number, sized?: 1][] = [
  ['Electronics', 'Headphones', 'Headphones,Earbuds,Headset', 29, 340],
  ['Electronics', 'Smart Home', 'Smart Plug,Thermostat,Doorbell Camera', 19, 260],
  ['Electronics', 'Computers', 'Laptop,Monitor,Tablet', 189, 1_690],
  ['Electronics', 'Accessories', 'Charger,Power Bank,Phone Case', 9, 79],
  ['Home & Kitchen', 'Cookware', 'Frying Pan,Stock Pot,Baking Tray', 15, 160],
  ['Home & Kitchen', 'Coffee & Tea', 'Espresso Machine,Coffee Grinder,Teapot', 22, 620],
  ['Home & Kitchen', 'Bedding', 'Duvet,Pillow,Sheet Set', 18, 190],
  ['Home & Kitchen', 'Storage', 'Storage Box,Shelf,Basket', 8, 120],
  ['Outdoor', 'Camping', 'Tent,Sleeping Bag,Camping Stove', 25, 480],
  ['Outdoor', 'Cycling', 'Bike Helmet,Bike Light,Pannier', 14, 210],
  ['Outdoor', 'Garden', 'Hose,Planter,Garden Chair', 9, 230],
  ['Outdoor', 'Fitness', 'Yoga Mat,Kettlebell,Resistance Band', 8, 140],
  ['Clothing', 'Shoes', 'Running Shoes,Sneakers,Boots', 39, 240, 1],
  ['Clothing', 'Jackets', 'Rain Jacket,Down Jacket,Fleece', 49, 330, 1],
  ['Clothing', 'Shirts', 'T-Shirt,Polo Shirt,Blouse', 12, 89, 1],
  ['Clothing', 'Bags', 'Backpack,Tote Bag,Wallet', 19, 180],
  ['Beauty', 'Skin Care', 'Face Cream,Serum,Sunscreen', 7, 95],
  ['Beauty', 'Hair Care', 'Shampoo,Hair Dryer,Hair Oil', 6, 160],
  ['Beauty', 'Fragrance', 'Eau de Parfum,Body Mist,Scented Candle', 14, 145],
  ['Toys & Games', 'Board Games', 'Board Game,Card Game,Puzzle', 9, 75],
  ['Toys & Games', 'Building Toys', 'Building Set,Marble Run,Train Set', 16, 220],
  ['Toys & Games', 'Outdoor Toys', 'Scooter,Kite,Water Blaster', 8, 150],
];

export interface Category {
  readonly id: number;
  readonly parentId: number | null;
  readonly name: string;
  readonly nouns: readonly string[];
  readonly low: number;
  readonly high: number;
  readonly isSized: boolean;
}

const TOPS = [...new Set(CATEGORY_LINES.map(([top]) => top))];

export const CATEGORIES: readonly Category[] = [
  ...TOPS.map((name, index) => ({ id: index + 1, parentId: null, name, nouns: [], low: 0, high: 0, isSized: false })),
  ...CATEGORY_LINES.map(([top, name, nouns, low, high, sized], index) => ({
    id: TOPS.length + index + 1,
    parentId: TOPS.indexOf(top) + 1,
    name,
    nouns: nouns.split(','),
    low,
    high,
    isSized: sized === 1,
  })),
];

/** Those that hold products. */
export const LEAVES = CATEGORIES.filter(({ parentId }) => parentId !== null);

export const BRANDS: readonly string[] =
  'Alpenglow,Bravura,Cobalt & Co,Dunmore,Everfield,Fjordline,Greystone,Halcyon,Ironwood,Juniper Lane,Kestrel,Lumina,Marlow,Northpeak,Oakhaven,Palisade,Quillon,Riverbend,Solace,Tidewater,Umbra Works,Vantage,Willow & Pine,Zephyr'.split(
    ',',
  );

export const COLORS: readonly string[] = ['black', 'white', 'blue', 'green', 'red', 'grey'];
export const SIZES: readonly string[] = ['S', 'M', 'L'];
export const ADJECTIVES: readonly string[] = 'Classic,Compact,Pro,Essential,Premium,Urban,Light,Eco,Studio,Trail'.split(
  ',',
);

export const FIRST_NAMES: readonly string[] =
  'Amelia,Bruno,Carmen,Daniel,Elif,Felix,Grace,Hannah,Ivan,Julia,Kenji,Laura,Mateo,Nadia,Oliver,Priya,Quentin,Rosa,Samir,Teresa,Ulrich,Vera,William,Ximena,Yusuf,Zoe,Anton,Bea,Chen,Dora,Emil,Freya,George,Helena,Ines,Jakob,Katja,Liam,Mona,Noah'.split(
    ',',
  );
export const LAST_NAMES: readonly string[] =
  'Abbott,Berger,Castillo,Dawson,Eriksson,Fontaine,Gruber,Hayashi,Ibrahim,Jansen,Kowalski,Lindgren,Meyer,Novotny,Ortega,Patel,Quinn,Ricci,Santos,Tanaka,Unger,Vasquez,Weiss,Xu,Yilmaz,Zimmermann,Bell,Chapman,Dufour,Ellis,Fischer,Gallo,Hughes,Ivers,Jung,Klein,Lopez,Martin,Nilsson,Owens'.split(
    ',',
  );

export const ORDER_STATUS = { placed: 10, paid: 20, shipped: 30, delivered: 40, returned: 50, cancelled: 90 } as const;
export const CHANNELS: readonly [name: string, kind: string, weight: number][] = [
  ['Web shop', 'online', 48],
  ['Mobile app', 'online', 27],
  ['Marketplace', 'partner', 12],
  ['Flagship store', 'offline', 9],
  ['Phone', 'offline', 4],
];
export const SEGMENTS: readonly [name: string, description: string][] = [
  ['VIP', 'Few, and they buy often.'],
  ['Business', 'Buys for a company account.'],
  ['Loyal', 'Comes back several times a year.'],
  ['Occasional', 'Buys now and then.'],
  ['Prospect', 'Signed up and has not bought yet.'],
  ['Internal', 'Accounts for tests of the shop. Left out of reports.'],
];
/** Name, kind, percent or dollars, first day, days, whether it needs a coupon. */
export const PROMOTIONS: readonly [
  name: string,
  kind: string,
  value: number,
  start: string,
  days: number,
  coupon: boolean,
][] = [
  ['Black Friday 2024', 'percent', 20, '2024-11-25', 8, false],
  ['Winter Sale 2025', 'percent', 15, '2025-01-02', 21, false],
  ['Spring Refresh 2025', 'percent', 10, '2025-03-20', 14, false],
  ['Welcome 2025', 'percent', 10, '2025-01-01', 365, true],
  ['Free Shipping May 2025', 'free_shipping', 0, '2025-05-01', 31, false],
  ['Summer Sale 2025', 'percent', 15, '2025-07-01', 28, false],
  ['Back to School 2025', 'percent', 10, '2025-08-20', 18, true],
  ['Newsletter Thanks', 'fixed', 10, '2025-04-01', 500, true],
  ['Black Friday 2025', 'percent', 25, '2025-11-24', 8, false],
  ['Advent 2025', 'percent', 10, '2025-12-05', 15, true],
  ['Winter Sale 2026', 'percent', 15, '2026-01-02', 21, false],
  ['Welcome 2026', 'percent', 10, '2026-01-01', 365, true],
  ['Spring Refresh 2026', 'percent', 12, '2026-03-18', 14, false],
  ['Free Shipping May 2026', 'free_shipping', 0, '2026-05-01', 31, false],
  ['Summer Sale 2026', 'percent', 15, '2026-07-01', 28, false],
  ['Back to School 2026', 'percent', 10, '2026-08-19', 18, true],
];
