"""Where the regimes of PIS and COFINS were read: by the law that a citation names."""

import re

from bundle import BundleError

#: The tables of the electronic bookkeeping, which carry every rate and code of the special regimes.
ONE_PHASE = ("Tabela 4.3.10 da EFD-Contribuições (Receita Federal, versão 1.25, de 2026-03-30), no repositório "
             "NightMarketz/luminaristest, conferida com OCA/l10n-brazil")
ZERO = ("Tabelas 4.3.10 e 4.3.13 da EFD-Contribuições (Receita Federal, 2026-03-30 e 2026-04-16), em cópias públicas, a "
        "primeira no repositório NightMarketz/luminaristest, conferidas com OCA/l10n-brazil")

#: Act, and where it matters article and items -> where its text was read, or that it was not. The first that matches.
ACTS = [
    (r"Lei nº 10\.147/2000", ONE_PHASE, "art. 1º da lei, na redação da Lei nº 12.839/2013, em infoconsult.com.br"),
    (r"Lei nº 10\.485/2002, arts\. 1º", ONE_PHASE,
     "art. 1º da lei em legis.senado.leg.br e legisweb.com.br; arts. 3º e 5º e Anexos não relidos"),
    (r"Lei nº 10\.485/2002", ONE_PHASE, "arts. 3º e 5º e Anexos da lei não relidos"),
    (r"Lei nº 13\.097/2015", ONE_PHASE,
     "art. 14 da lei em juruadocs.com, arts. 24 e 25 em legjur.com; arts. 26 a 30 não relidos"),
    (r"Lei nº 9\.718/1998, art\. 4º.*MP nº 2\.158-35/2001", ONE_PHASE,
     "art. 42 da MP em legjur.com; art. 4º da lei não relido"),
    (r"Lei nº 9\.718/1998|Lei nº 10\.560/2002|Lei nº 11\.116/2005|MP nº 2\.158-35/2001", ONE_PHASE,
     "o texto da lei não foi relido"),
    (r"Lei nº 10\.925/2004, art\. 1º, (I|II|III|IV|V|VI|VII|VIII|IX|X|XI)(?![IVX])", ZERO,
     "art. 1º, I a XI, da lei em admdireito.com.br, e IN RFB nº 2.121/2022, art. 605"),
    (r"Lei nº 10\.925/2004", ZERO, "o inciso só foi visto em fontes secundárias"),
    (r"Lei nº 10\.865/2004, art\. 28, (III|IV)(?![IVX])", ZERO, "art. 28 da lei em vademecumprevidenciario.com.br"),
    (r"Lei nº 10\.865/2004, art\. 28, (V|VI)(?![IVX])", ZERO, "IN RFB nº 2.121/2022, arts. 66 e 605"),
]
LC_224 = "LC nº 224/2025, art. 4º, em jurishand.com (§ 1º) e fiscalnews.com.br (§ 2º)"


def source(citation):
    """The text of `fonte` for a citation of the special regimes."""
    for pattern, table, text in ACTS:
        if re.match(pattern, citation):
            return f"{'; '.join([table, text, *([LC_224] if 'LC nº 224/2025' in citation else [])])}."
    raise BundleError(f"pis_cofins: no source for {citation}")
