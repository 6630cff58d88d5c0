/** Types the options of a plugin: a caller may leave out what has a default, and the plugin gets it all the same. */
import * as T from '@sinclair/typebox';

type Default<O> = Pick<O, Extract<'default', keyof O>>;
type Texts<V extends T.TSchema> = T.TRecord<T.TString, V>;
interface Builder {
  Boolean<const O extends T.SchemaOptions>(options?: O): T.TBoolean & Default<O>;
  Integer<const O extends T.IntegerOptions>(options?: O): T.TInteger & Default<O>;
  Number<const O extends T.NumberOptions>(options?: O): T.TNumber & Default<O>;
  String<const O extends T.StringOptions>(options?: O): T.TString & Default<O>;
  Array<I extends T.TSchema, const O extends T.ArrayOptions>(items: I, options?: O): T.TArray<I> & Default<O>;
  Union<U extends T.TSchema[], const O extends T.SchemaOptions>(of: [...U], options?: O): T.Union<U> & Default<O>;
  Record<V extends T.TSchema, const O extends T.ObjectOptions>(
    of: T.TString,
    to: V,
    options?: O,
  ): Texts<V> & Default<O>;
}

/** TypeBox; the type of a schema tells whether it has a default. */
export const Type = T.Type as unknown as Builder & Omit<typeof T.Type, keyof Builder>;

type Omissible = { [T.OptionalKind]: 'Optional' } | { readonly default: unknown };
type OptionalKeys<P> = { [K in keyof P]: P[K] extends Omissible ? K : never }[keyof P];
type Mandatory<P> = { readonly [K in keyof P]: GivenOptions<P[K]> };
type Optional<P> = { readonly [K in keyof P]?: GivenOptions<P[K]> | undefined };

/** Options as a caller gives them: at any depth, what is optional or has a default may be left out or `undefined`. */
export type GivenOptions<S> =
  S extends T.TObject<infer P>
    ? Mandatory<Omit<P, OptionalKeys<P>>> & Optional<Pick<P, OptionalKeys<P>>>
    : S extends T.TArray<infer Item>
      ? readonly GivenOptions<Item>[]
      : S extends T.TUnion<infer Members>
        ? GivenOptions<Members[number]>
        : Extract<S, T.TSchema>['static'];
