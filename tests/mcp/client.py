"""Uses `taxd mcp` as an assistant does, by the protocol's own client. Usage: client.py TAXD [DATA]"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters

TOOLS = ["calculate", "explain", "treatment", "rules", "codes", "upcoming"]
SALE = {"tributo": "icms", "uf_origem": "SP", "uf_destino": "RJ", "valor_produto": "1000.00", "data_operacao": "2026-03-10"}
CBS = {"tributo": "cbs", "valor_operacao": "1000.00", "cumpre_obrigacoes_acessorias": True, "optante_simples": False,
       "transicao": True, "data_operacao": "2027-03-10"}
CBS |= dict.fromkeys(["valor_icms", "valor_iss", "valor_pis", "valor_cofins", "valor_ipi"], "0")


async def use(client):
    async def call(tool, **arguments):
        result = await client.call_tool(tool, arguments)
        [content] = result.content
        return result.is_error, content.text

    async def answered(tool, **arguments):
        is_error, text = await call(tool, **arguments)
        assert not is_error, text
        return json.loads(text)

    async def refused(tool, **arguments):
        is_error, text = await call(tool, **arguments)
        assert is_error, text
        return text

    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == TOOLS, tools
    assert all(tool.annotations.read_only_hint and tool.description for tool in tools)
    assert "icms_st" in tools[0].description

    sale = await answered("calculate", pedido=SALE)
    assert sale["valor"] == "120.00" and sale["regra"]["citacao_legal"], sale
    explained = await answered("explain", pedido=SALE)
    assert explained["resposta"]["valor"] == sale["valor"] and explained["resposta"]["detalhes"]["memoria"], explained
    assert explained["regras"][0]["rule_id"] == sale["regra"]["rule_id"], explained

    problem = json.loads(await refused("calculate", pedido=CBS))
    assert problem["codigo"] == "regra_sem_conteudo" and "Senado" in problem["detail"], problem
    assert problem["regra"]["citacao_legal"], problem
    supposed = await answered("calculate", pedido=CBS, supondo="cbs.aliquota:8.80")
    assert supposed["valor"] == "88.00" and supposed["suposicoes"], supposed
    assert "não é a lei" in supposed["avisos"][0], supposed
    lacking = json.loads(await refused("calculate", pedido={"tributo": "icms"}))
    assert {"uf_origem", "valor_produto"} <= {fault["campo"] for fault in lacking["erros"]}, lacking

    [found] = await answered("codes", words="parafuso inox", tabela="ncm")
    assert any(code["codigo"].startswith("7318") for code in found["codigos"]), found
    assert "não" in await refused("treatment", ncm="12", data="2026-03-10")
    product = await answered("treatment", ncm="40111000", data="2026-03-10", uf_origem="MG", uf_destino="SP")
    assert product["ipi"] and product["icms_st"], product
    rules = await answered("rules", tributo="icms", uf="SP", vigente_em="2026-03-10", limit=3)
    assert len(rules["regras"]) == 3 and rules["regras"][0]["citacao_legal"], rules
    assert await answered("upcoming", days=30, tributo="icms")
    assert "tributo" in await refused("rules", imposto="icms")


async def main(taxd, *data):
    arguments = ["mcp", *(["--data", data[0]] if data else [])]
    async with Client(StdioServerParameters(command=taxd, args=arguments)) as client:
        await use(client)
    print("all tools answered")


asyncio.run(main(*sys.argv[1:]))
