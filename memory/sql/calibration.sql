SELECT unrelated, paraphrased FROM memory_embeddingmodel WHERE name = %(model)s
