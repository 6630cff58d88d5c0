/** Lists products, places and names of the demo's shop. */
import { type Weighted, weigh } from '../random.ts';

export interface Product {
  readonly name: string;
  readonly category: string;
  /** List price in cents before 2026. */
  readonly cents: number;
}

const product = (category: string, name: string, price: number, weight: number): readonly [Product, number] => [
  { name, category, cents: Math.round(price * 100) },
  weight,
];

export const PRODUCTS: Weighted<Product> = weigh([
  product('Electronics', 'Wireless Headphones', 129, 9),
  product('Electronics', 'Bluetooth Speaker', 79.9, 7),
  product('Electronics', 'Smart Watch', 219, 5),
  product('Electronics', 'Tablet 11', 449, 2.5),
  product('Electronics', 'USB-C Charger', 24.9, 10),
  product('Electronics', 'E-Reader', 139, 4),
  product('Kitchen', 'Espresso Machine', 389, 2),
  product('Kitchen', 'Chef Knife', 64.5, 5),
  product('Kitchen', 'Cast Iron Pan', 54, 5),
  product('Kitchen', 'Coffee Grinder', 89, 4),
  product('Kitchen', 'Water Bottle', 19.9, 9),
  product('Outdoor', 'Hiking Backpack', 119, 4),
  product('Outdoor', 'Two-Person Tent', 249, 1.8),
  product('Outdoor', 'Sleeping Bag', 99, 2.2),
  product('Outdoor', 'Headlamp', 34.9, 4),
  product('Outdoor', 'Trekking Poles', 69, 2),
  product('Books', 'Cookbook', 32, 6),
  product('Books', 'Travel Guide', 21.5, 5),
  product('Books', 'Crime Novel', 14.9, 8),
  product('Books', 'Picture Book', 16.9, 5),
  product('Toys', 'Board Game', 42, 5),
  product('Toys', 'Building Blocks', 59.9, 5),
  product('Toys', 'Puzzle 1000', 18.5, 4),
  product('Toys', 'Plush Bear', 22, 4),
  product('Beauty', 'Face Cream', 27.9, 5),
  product('Beauty', 'Shampoo Bar', 9.9, 7),
  product('Beauty', 'Perfume', 74, 2.5),
  product('Beauty', 'Hair Dryer', 49.9, 2.5),
]);

export interface Place {
  readonly country: string;
  readonly region: string;
  readonly cities: readonly string[];
}

const place = (region: string, country: string, weight: number, ...cities: string[]): readonly [Place, number] => [
  { country, region, cities },
  weight,
];

export const PLACES: Weighted<Place> = weigh([
  place('North America', 'United States', 26, 'New York', 'Chicago', 'Austin', 'Seattle', 'Boston'),
  place('North America', 'Canada', 7, 'Toronto', 'Vancouver', 'Montreal'),
  place('Europe', 'Germany', 20, 'Berlin', 'Hamburg', 'Munich', 'Cologne'),
  place('Europe', 'United Kingdom', 14, 'London', 'Manchester', 'Bristol', 'Edinburgh'),
  place('Europe', 'France', 9, 'Paris', 'Lyon', 'Marseille'),
  place('Europe', 'Austria', 4, 'Vienna', 'Graz'),
  place('Europe', 'Switzerland', 4, 'Zurich', 'Geneva', 'Basel'),
  place('Europe', 'Spain', 5, 'Madrid', 'Barcelona', 'Valencia'),
  place('Asia Pacific', 'Australia', 6, 'Sydney', 'Melbourne', 'Perth'),
  place('Asia Pacific', 'Japan', 5, 'Tokyo', 'Osaka'),
]);

export const FIRST_NAMES: readonly string[] =
  'Anna Ben Clara David Emma Felix Grace Henry Isla Jonas Kira Leo Maria Noah Olivia Paul Quinn Rosa Samuel Tara Uma Victor Wendy Xavier Yara Zoe Aiko Bruno Chloe Diego Elena Finn Greta Hugo Ines Jack Kenji Lena Marco Nina Oscar Priya Ravi Sofia Theo Vera'.split(
    ' ',
  );

export const LAST_NAMES: readonly string[] =
  'Adams Bauer Carter Dubois Evans Fischer Garcia Huber Ito Jones Keller Lopez Martin Nguyen Olsen Patel Reed Schmidt Tanaka Ueda Vogel Walker Young Zimmer Baker Costa Dietrich Edwards Fournier Gomez Hughes Ivanova Jensen Klein Laurent Moreau Novak Okafor Petit Rossi Sato Torres Weber Wright'.split(
    ' ',
  );
